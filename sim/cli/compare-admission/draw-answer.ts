/** What a webhook answers, drawn: verdicts of all shapes, patches good and bad, and what is no answer at all. */
import type { Draws } from '../compare-cel/draws.ts';

export type ScriptedAnswer =
  | { readonly kind: 'hang' }
  | { readonly kind: 'break' }
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Of a review that is otherwise as it should be. */
      readonly review?: object;
      readonly text?: string;
    };

const JSON_TYPE = { 'content-type': 'application/json' };

const LONG = 'w'.repeat(300);
const WARNINGS: readonly (readonly string[])[] = [
  ['careful'],
  ['one', 'two', 'one'],
  [''],
  ['quo"te \\ back'],
  ['line\nbreak\ttab'],
  [LONG],
  Array.from({ length: 20 }, (_none, index) => `${index} ${LONG}`),
  ['ünïcode ☃'],
];

const ANNOTATIONS: readonly object[] = [
  { key: 'value' },
  { 'a/b': 'c', empty: '' },
  { 'bad key': 'x', 'also/bad/key': 'y' },
  { ['k'.repeat(64)]: 'long' },
];

const REFUSALS: readonly object[] = [
  {},
  { message: 'because' },
  { reason: 'Forbidden' },
  { message: 'because', reason: 'NotFound', code: 404 },
  { message: 'm', code: 200 },
  { message: 'm', code: 399 },
  { message: 'm', code: 599 },
  { message: 'm', code: -1 },
  { message: 'm', code: 418, details: { name: 'n', kind: 'k', causes: [{ message: 'c', field: 'f' }] } },
  { message: 'm', details: { retryAfterSeconds: 5 }, code: 429 },
  { message: 'm', metadata: { resourceVersion: '7' } },
  { status: 'Success', message: 'odd' },
  { message: '' },
];

const PATCHES: readonly unknown[] = [
  [],
  [{ op: 'add', path: '/metadata/labels', value: { by: 'hook' } }],
  [{ op: 'add', path: '/data/added', value: 'yes' }],
  [{ op: 'add', path: '/data', value: { only: 'this' } }],
  [{ op: 'replace', path: '/data/a', value: 'replaced' }],
  [{ op: 'replace', path: '/data/none', value: 'x' }],
  [{ op: 'remove', path: '/data/none' }],
  [{ op: 'remove', path: '/data' }],
  [{ op: 'test', path: '/data/a', value: 'other' }],
  [{ op: 'test', path: '/data/a', value: '1' }],
  [{ op: 'copy', from: '/data/a', path: '/data/b' }],
  [{ op: 'move', from: '/data/none', path: '/data/b' }],
  [{ op: 'add', path: '/data/a', value: 7 }],
  [{ op: 'add', path: '/unknown', value: 7 }],
  [{ op: 'replace', path: '/kind', value: 'Secret' }],
  [{ op: 'replace', path: '/apiVersion', value: 'v9' }],
  [{ op: 'replace', path: '/metadata/name', value: 'renamed' }],
  [{ op: 'replace', path: '/metadata/namespace', value: 'elsewhere' }],
  [{ op: 'add', path: '/metadata/uid', value: 'own' }],
  [{ op: 'add', path: '/metadata/labels', value: { 'not a label': '!' } }],
  [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/keep'] }],
  [{ op: 'replace', path: '', value: {} }],
  [{ op: 'replace', path: '', value: null }],
  [{ op: 'remove', path: '' }],
  [{ op: 'bogus', path: '/data/a' }],
  [{ op: 'add' }],
  [{ path: '/data/a' }],
  [{ op: 'add', path: 'data', value: 1 }],
  [{ op: 'add', path: '/metadata/finalizers/9', value: 'x' }],
  [{ op: 'add', path: '/metadata/finalizers/-1', value: 'x' }],
  [null],
  [7],
  {},
  'text',
  null,
];

const patchText = (patch: unknown): string => btoa(JSON.stringify(patch));

const ODD_PATCHES: readonly object[] = [
  { patch: patchText([]) },
  { patchType: 'JSONPatch' },
  { patch: patchText([]), patchType: 'MergePatch' },
  { patch: patchText([]), patchType: '' },
  { patch: '', patchType: 'JSONPatch' },
  { patch: '!!!', patchType: 'JSONPatch' },
  { patch: btoa('not json'), patchType: 'JSONPatch' },
  { patch: btoa('[]x'), patchType: 'JSONPatch' },
  { patch: [1, 2], patchType: 'JSONPatch' },
  { patch: null, patchType: null },
];

const raw = (text: string, more: object = {}): ScriptedAnswer => ({ kind: 'answer', text, ...more });

const REVIEW = '{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":true}}';

const NO_ANSWERS: readonly ScriptedAnswer[] = [
  raw(''),
  raw('garbage'),
  raw('{'),
  raw('{}'),
  raw('null'),
  raw('[]'),
  raw('7'),
  raw('"text"'),
  raw(`${REVIEW} trailing`),
  raw(REVIEW.replace('$uid', 'other')),
  raw(REVIEW.replace('"uid":"$uid",', '')),
  raw(REVIEW.replace('$kind', 'ConfigMap')),
  raw(REVIEW.replace('$kind', '')),
  raw(REVIEW.replace('"kind":"$kind",', '')),
  raw(REVIEW.replace('$version', 'admission.k8s.io/v1beta1')),
  raw(REVIEW.replace('$version', 'admission.k8s.io/v1')),
  raw(REVIEW.replace('$version', 'admission.k8s.io/v9')),
  raw(REVIEW.replace('$version', 'v1')),
  raw(REVIEW.replace('"apiVersion":"$version",', '')),
  raw('{"apiVersion":"$version","kind":"$kind"}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":null}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{}}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid"}}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":"true"}}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":7,"allowed":true}}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":true,"other":1},"more":2}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"UID":"$uid","Allowed":true}}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":true,"warnings":"text"}}'),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":true,"warnings":[1]}}'),
  raw(
    '{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":true,"auditAnnotations":{"a":1}}}',
  ),
  raw('{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":false,"status":"no"}}'),
  raw(
    '{"apiVersion":"$version","kind":"$kind","response":{"uid":"$uid","allowed":false,"status":{"code":"x"}}}',
  ),
  raw('{"apiVersion":"v1","kind":"Status","status":"Failure","message":"own","code":403}'),
  raw('apiVersion: $version\nkind: $kind\nresponse: {uid: $uid, allowed: true}\n', {
    headers: { 'content-type': 'application/yaml' },
  }),
  raw('apiVersion: $version\nkind: $kind\nresponse: {uid: $uid, allowed: true}\n'),
  raw(REVIEW, { headers: {} }),
  raw(REVIEW, { headers: { 'content-type': 'text/plain' } }),
  raw(REVIEW, { headers: { 'content-type': 'application/vnd.kubernetes.protobuf' } }),
  raw(REVIEW, { headers: { 'content-type': 'nonsense' } }),
  raw(REVIEW, { status: 201 }),
  raw(REVIEW, { status: 206 }),
  raw('', { status: 204, headers: {} }),
  raw('', { status: 302, headers: { location: '/elsewhere' } }),
  raw('', { status: 304, headers: {} }),
  raw('bad', { status: 400 }),
  raw('no', { status: 401, headers: { 'content-type': 'text/plain' } }),
  raw('no such page', { status: 404, headers: { 'content-type': 'text/plain' } }),
  raw(REVIEW, { status: 409 }),
  raw('slow down', { status: 429, headers: { 'content-type': 'text/plain' } }),
  raw('oops', { status: 500, headers: { 'content-type': 'text/plain' } }),
  raw(
    '{"apiVersion":"v1","kind":"Status","status":"Failure","message":"own","reason":"Forbidden","code":403}',
    {
      status: 403,
      headers: JSON_TYPE,
    },
  ),
  raw('gone', { status: 503, headers: { 'content-type': 'text/plain' } }),
  raw('gone', { status: 503, headers: { 'retry-after': '0' } }),
  { kind: 'break' },
];

const some = (draws: Draws, times: number, name: string, items: readonly unknown[]): object =>
  draws.isOnceIn(times) ? { [name]: draws.pick(items) } : {};

/** Of a webhook that may change objects, or that may not. */
export function drawAnswer(draws: Draws, isMutating: boolean): ScriptedAnswer {
  const said = {
    ...some(draws, 3, 'warnings', WARNINGS),
    ...some(draws, 3, 'auditAnnotations', ANNOTATIONS),
  };
  switch (draws.below(isMutating ? 8 : 5)) {
    case 0:
      return { kind: 'answer', review: { allowed: true, ...said, ...some(draws, 3, 'status', REFUSALS) } };
    case 1:
      return { kind: 'answer', review: { allowed: false, ...said, ...some(draws, 1, 'status', REFUSALS) } };
    case 2:
    case 3:
      if (draws.isOnceIn(12)) return { kind: 'hang' };
      return draws.pick(NO_ANSWERS) ?? { kind: 'break' };
    case 4:
      return { kind: 'answer', review: { allowed: true, ...said, ...draws.pick(ODD_PATCHES) } };
    default: {
      const patch = patchText(draws.pick(PATCHES));
      return { kind: 'answer', review: { allowed: true, ...said, patch, patchType: 'JSONPatch' } };
    }
  }
}
