/**
 * PATCH: JSON patch, merge patch, strategic merge patch and server-side apply, all by the same way:
 * present object → patched object → decoded, defaulted, managed → the rules of an update.
 * Specification: "PATCH content types".
 */
import { storageResource } from '../registry/resource.ts';
import type { Process } from '../../engine/process.ts';
import { notFound } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { giveWay } from '../request/give-way.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { UpdateRules } from '../registry/strategy.ts';
import { respondShown } from './respond-shown.ts';
import { unsupportedBody } from '../representation/negotiate.ts';
import { NoRoute } from '../representation/no-route.ts';
import { applyPatcher } from './patchers/apply-patcher.ts';
import { jsonPatcher } from './patchers/json-patcher.ts';
import { mergePatcher } from './patchers/merge-patcher.ts';
import type { Patcher } from './patchers/patcher.ts';
import { strategicPatcher } from './patchers/strategic-patcher.ts';
import { checkPathName } from './path-name.ts';
import { checkNamed } from './update.ts';
import { updateObject } from './update-object.ts';

const PATCHERS: Readonly<Record<string, Patcher>> = {
  'application/json-patch+json': jsonPatcher,
  'application/merge-patch+json': mergePatcher,
  'application/strategic-merge-patch+json': strategicPatcher,
  'application/apply-patch+yaml': applyPatcher,
};

const CUSTOM_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
];

export function* patch(exchange: Exchange, rules?: UpdateRules): Process<void> {
  const { resource } = exchange.routed;
  const { info, server } = exchange;
  const { isApply, prepare } = patcherOf(exchange);
  checkNamed(exchange);
  const options = writeOptionsOf(exchange, 'PatchOptions', { isApply });
  checkPathName(info.name);
  const store = server.storeOf(resource);
  // A missing object is told before the patch is looked at; apply may create it, through a status as an update may.
  const mayCreate = isApply && (!rules || mayCreateByStatus(exchange));
  if (!mayCreate && !store.get(store.key(info.namespace, info.name))) {
    throw notFound(storageResource(resource), info.name);
  }
  const produce = prepare({ exchange, options, rules });
  const afterReading = giveWay(exchange);
  if (afterReading) yield* afterReading;
  const { object, isCreated } = yield* updateObject(exchange, {
    name: info.name,
    isDryRun: options.isDryRun,
    createsMissing: isApply && !rules,
    ...(rules && { rules }),
    ...produce,
  });
  yield* respondShown(exchange, isCreated ? 201 : 200, object);
}

const mayCreateByStatus = ({ routed, info }: Exchange): boolean =>
  routed.resource.strategy.allowsCreateOnUpdate === true && info.subresource === 'status';

export interface ChosenPatcher {
  readonly isApply: boolean;
  readonly prepare: Patcher;
}

/** Content types of patches are matched to the letter; parameters are cut off. */
export function patcherOf(exchange: Exchange): ChosenPatcher {
  const type = (exchange.request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  const types = typesOf(exchange);
  const prepare = types.includes(type) ? PATCHERS[type] : undefined;
  if (!prepare) throw unsupportedBody(types);
  return { isApply: prepare === applyPatcher, prepare };
}

const isOfCustom = ({ routed, viewOf }: Exchange): boolean => (viewOf?.routed ?? routed).resource.isCustom;

/** Apply came later than the others. */
const typesOf = (exchange: Exchange): readonly string[] =>
  (isOfCustom(exchange) ? CUSTOM_TYPES : Object.keys(PATCHERS)).filter(
    (type) => PATCHERS[type] !== applyPatcher || exchange.server.machinery.applies,
  );

/**
 * What finds the way to a handler looks at the types first, and there one of several that are named is enough. Of a patch
 * without a body it is then the answer's form that nobody has. @throws NoRoute
 */
export function checkPatchRoute(exchange: Exchange): void {
  const { body, headers } = exchange.request;
  const named = (headers['content-type'] ?? '').split(',').map((type) => type.split(';', 1)[0]?.trim() ?? '');
  if (named.some((type) => Object.hasOwn(PATCHERS, type))) return;
  const unsupported = (message: string): NoRoute =>
    new NoRoute({ reason: 'UnsupportedMediaType', message, details: {} });
  // How long it is, nobody has said.
  if (headers['transfer-encoding'] !== undefined) throw unsupported(UNSUPPORTED + NOTHING_OFFERED);
  const isEmpty = body === undefined || (body.kind === 'bytes' && body.bytes.length === 0);
  throw isEmpty
    ? new NoRoute({ reason: 'NotAcceptable', message: `406: Not Acceptable${NOTHING_OFFERED}`, details: {} })
    : unsupported(UNSUPPORTED);
}

const UNSUPPORTED = '415: Unsupported Media Type';
const NOTHING_OFFERED = '\n\nAvailable representations: ';
