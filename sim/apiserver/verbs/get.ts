/** GET of one object. Specification: "Resource-version semantics for get and list". */
import { storageResource } from '../registry/resource.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiObject } from '../../api/object.ts';
import { badRequest, notFound, plainError } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseUint } from '../options/parse-parameter.ts';
import { showingCached } from '../conversion/show.ts';
import { respondObject } from '../representation/respond.ts';
import { checkPathName } from './path-name.ts';
import { respondShown } from './respond-shown.ts';
import { isUncached, tooLarge, waitUntilFresh } from './wait-until-fresh.ts';

export function* get(exchange: Exchange): Process<void> {
  const text = exchange.request.query.first('resourceVersion') ?? '';
  checkPathName(exchange.info.name);
  const object = text === '' ? newest(exchange) : yield* notOlderThan(exchange, text);
  if (!object) throw notFound(storageResource(exchange.routed.resource), exchange.info.name);
  if (text === '') return yield* respondShown(exchange, 200, object);
  const show = showingCached(exchange, [object]);
  respondObject(exchange, 200, object, typeof show === 'function' ? show : yield* show);
}

function newest({ server, routed, info }: Exchange): ApiObject | undefined {
  const store = server.storeOf(routed.resource);
  return store.get(store.key(info.namespace, info.name))?.value;
}

function* notOlderThan(exchange: Exchange, text: string): Process<ApiObject | undefined> {
  const { server, routed, info } = exchange;
  const version = parseUint(text);
  if (typeof version === 'object') {
    const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${version.error}`;
    throw isUncached(routed.resource)
      ? badRequest(`invalid resource version: ${problem}`)
      : plainError(problem);
  }
  const store = server.storeOf(routed.resource);
  if (isUncached(routed.resource) && version > store.cache.revision) throw tooLarge(version, store, {});
  const key = store.key(info.namespace, info.name);
  const behind = routed.resource.copies?.behind(routed.version.apiVersion);
  if (behind && behind.revision >= version) return behind.objects.get(key);
  yield* waitUntilFresh(exchange, store, version);
  return store.cache.get(key)?.value;
}

/** Of events the real server has no cache: what it says comes from its storage, which does not wait. */
