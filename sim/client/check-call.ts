/**
 * Arguments of a client's calls as people give them: tests are often run without their types, and an option that is spelt
 * wrongly would choose everything in silence. Promises to refuse what no call can mean before anything is sent; what the
 * server can judge is left to it.
 */
import { shown } from '../engine/shown.ts';
import {
  type ApplyOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  PATCH_TYPES,
  type Selection,
  type WatchOptions,
  type WriteOptions,
} from './options.ts';

type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

const CALL = { timeout: true } as const;
const SELECTION = {
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
} as const satisfies NamesOf<Selection>;
const GET: NamesOf<GetOptions> = { ...CALL, resourceVersion: true, subresource: true };
const LIST: NamesOf<ListOptions> = {
  ...CALL,
  ...SELECTION,
  limit: true,
  continue: true,
  resourceVersion: true,
  resourceVersionMatch: true,
};
const WATCH: NamesOf<WatchOptions> = {
  ...CALL,
  ...SELECTION,
  resourceVersion: true,
  resourceVersionMatch: true,
  allowWatchBookmarks: true,
  sendInitialEvents: true,
  timeoutSeconds: true,
};
const WRITE: NamesOf<WriteOptions> = {
  ...CALL,
  isDryRun: true,
  fieldManager: true,
  fieldValidation: true,
  subresource: true,
};
const APPLY: NamesOf<ApplyOptions> = { ...WRITE, force: true };
const DELETE: NamesOf<DeleteOptions> = {
  ...CALL,
  gracePeriodSeconds: true,
  propagationPolicy: true,
  preconditions: true,
  isDryRun: true,
};

/** What stands at a place of the arguments: says what is wrong with it. */
type Check = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const key: Check = (value) => {
  const isKey = isObject(value)
    ? isText(value['name']) && ['string', 'undefined'].includes(typeof value['namespace'])
    : isText(value);
  return isKey ? undefined : `takes a name or { namespace, name }, not ${shown(value)}`;
};

const object: Check = (value) =>
  isObject(value) && isObject(value['metadata'])
    ? undefined
    : `takes an object with metadata, not ${shown(value)}`;

const named: Check = (value) => {
  const problem = object(value);
  if (problem !== undefined) return problem;
  const { metadata } = value as { readonly metadata: Readonly<Record<string, unknown>> };
  return isText(metadata['name']) ? undefined : 'takes an object with metadata.name';
};

const patch: Check = (value) => {
  const isPatch =
    isObject(value) && Object.hasOwn(PATCH_TYPES, String(value['type'])) && value['body'] !== undefined;
  const types = Object.keys(PATCH_TYPES).join(', ');
  return isPatch
    ? undefined
    : `takes a patch { type, body } of one of the types ${types}, not ${shown(value)}`;
};

const options =
  (known: Readonly<Record<string, true>>): Check =>
  (value) => {
    if (value === undefined) return undefined;
    if (!isObject(value)) return `takes options, not ${shown(value)}`;
    const stranger = Object.keys(value).find((name) => !Object.hasOwn(known, name));
    return stranger === undefined
      ? undefined
      : `has no option ${shown(stranger)}: it has ${Object.keys(known).toSorted().join(', ')}`;
  };

const CHECKS = {
  get: [key, options(GET)],
  list: [options(LIST)],
  listAll: [options(LIST)],
  create: [object, options(WRITE)],
  update: [named, options(WRITE)],
  updateStatus: [named, options(WRITE)],
  patch: [key, patch, options(WRITE)],
  apply: [named, options(APPLY)],
  delete: [key, options(DELETE)],
  deleteCollection: [options({ ...SELECTION, ...DELETE })],
  watch: [options(WATCH)],
} as const satisfies Readonly<Record<string, readonly Check[]>>;

type CheckedCall = keyof typeof CHECKS;

/** `of`: the resource, as in `pods`. Undefined: the call can be made. */
export function problemOfCall(of: string, call: CheckedCall, args: readonly unknown[]): string | undefined {
  for (const [at, check] of CHECKS[call].entries()) {
    const problem = check(args[at]);
    if (problem !== undefined) return `${of}.${call} ${problem}`;
  }
  return undefined;
}
