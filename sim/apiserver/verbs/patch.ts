/**
 * PATCH: JSON patch, merge patch, strategic merge patch and server-side apply, all by the same way:
 * present object → patched object → decoded, defaulted, managed → the rules of an update.
 * Specification: "PATCH content types".
 */
import { storageResource } from '../registry/resource.ts';
import type { Process } from '../../engine/process.ts';
import { ApiError, notFound } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { giveWay } from '../request/give-way.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { UpdateRules } from '../registry/strategy.ts';
import { respondShown } from './respond-shown.ts';
import { unsupportedBody } from '../representation/negotiate.ts';
import { applyPatcher } from './patchers/apply-patcher.ts';
import { jsonPatcher } from './patchers/json-patcher.ts';
import { mergePatcher } from './patchers/merge-patcher.ts';
import type { Patcher } from './patchers/patcher.ts';
import { strategicPatcher } from './patchers/strategic-patcher.ts';
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
  const store = server.storeOf(resource);
  // A missing object is told before the patch is looked at; apply may create it, but not through a subresource.
  if ((!isApply || rules) && !store.get(store.key(info.namespace, info.name))) {
    throw notFound(storageResource(resource), info.name);
  }
  const produce = prepare({ exchange, options, rules });
  const afterReading = giveWay(exchange);
  if (afterReading) yield* afterReading;
  const { object, isCreated } = yield* updateObject(exchange, {
    name: info.name,
    isDryRun: options.isDryRun,
    createsMissing: isApply,
    ...(rules && { rules }),
    ...produce,
  });
  yield* respondShown(exchange, isCreated ? 201 : 200, object);
}

export interface ChosenPatcher {
  readonly isApply: boolean;
  readonly prepare: Patcher;
}

/** Content types of patches are matched to the letter; parameters are cut off. */
export function patcherOf(exchange: Exchange): ChosenPatcher {
  const type = (exchange.request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  const prepare = Object.hasOwn(PATCHERS, type) ? PATCHERS[type] : undefined;
  if (prepare === applyPatcher && !exchange.server.machinery.applies)
    throw unsupportedBody(withoutApply(exchange));
  if (!prepare) {
    throw new ApiError({
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    });
  }
  const isCustom = isOfCustom(exchange);
  if (isCustom && !CUSTOM_TYPES.includes(type)) throw unsupportedBody(CUSTOM_TYPES);
  return { isApply: prepare === applyPatcher, prepare };
}

const isOfCustom = ({ routed, isOfCustomResource }: Exchange): boolean =>
  routed.resource.isCustom || isOfCustomResource;

const withoutApply = (exchange: Exchange): readonly string[] =>
  (isOfCustom(exchange) ? CUSTOM_TYPES : Object.keys(PATCHERS)).filter(
    (type) => PATCHERS[type] !== applyPatcher,
  );
