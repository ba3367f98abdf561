/** GET of one object. Specification: "Resource-version semantics for get and list". */
import { storageResource } from '../registry/resource.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiObject } from '../../api/object.ts';
import { notFound, plainError } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseUint } from '../options/parse-parameter.ts';
import { showing } from '../conversion/show.ts';
import { respondObject } from '../representation/respond.ts';
import { waitUntilFresh } from './wait-until-fresh.ts';

export function* get(exchange: Exchange): Process<void> {
  const { resource } = exchange.routed;
  const { info, server, request } = exchange;
  const store = server.storeOf(resource);
  const key = store.key(info.namespace, info.name);
  const text = request.query.first('resourceVersion') ?? '';
  if (text === '') {
    const entry = store.get(key);
    if (!entry) throw notFound(storageResource(resource), info.name);
    yield* respondShown(exchange, entry.value);
    return;
  }
  const version = parseUint(text);
  if (typeof version === 'object') {
    throw plainError(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${version.error}`);
  }
  yield* waitUntilFresh(exchange, store, version);
  const cached = store.cache.get(key);
  if (!cached) throw notFound(storageResource(resource), info.name);
  yield* respondShown(exchange, cached.value);
}

function* respondShown(exchange: Exchange, object: ApiObject): Process<void> {
  const show = showing(exchange, [object]);
  respondObject(exchange, 200, object, typeof show === 'function' ? show : yield* show);
}
