/** Requests that are hardly any: bodies of every malformed kind, types that are none, paths beside the right ones. */
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, objectOf, type Subject } from './subjects.ts';

/** `@` stands for the object's JSON, `%` for it without the last brace. */
const BODIES = [
  ...[
    '@',
    '@',
    '@',
    '',
    ' ',
    '{',
    '[]',
    'null',
    '"a"',
    '7',
    '{}',
    '[@]',
    '@ @',
    '@x',
    '%',
    '%,}',
    '%,"a":1,"a":2}',
  ],
  ...['%,"metadata":{"name":"z"}}', '%,"spec":1}', '%,"kind":7}', '%,"apiVersion":null}', '%,"Kind":"A"}'],
  ...[
    '%,"METADATA":{}}',
    '%,"status":[]}',
    '%,"a\\u0000":1}',
    '%,"a":1e999}',
    '%,"a":01}',
    '%,"a":NaN}',
    "{'a':1}",
  ],
  ...[
    '// a\n@',
    '\ufeff@',
    '\n\n@\n\n',
    '%,"a":"\\ud800"}',
    '%,"a":"\t"}',
    '{"kind":"List","apiVersion":"v1","items":[]}',
  ],
  ...[
    '{"kind":"Status","apiVersion":"v1"}',
    '{"kind":"ConfigMap"}',
    '{"apiVersion":"v1"}',
    '{"apiVersion":"v1/a/b","kind":"A"}',
  ],
  ...[
    '{"apiVersion":"nothing/v1","kind":"A"}',
    '{"kind":"DeleteOptions","apiVersion":"v1"}',
    '{"a":{"b":[{"c":1}]}}',
  ],
];
const YAML_BODIES = [
  ...[
    'a: 1',
    'a: [',
    'a: &x 1\nb: *x',
    'a: *x',
    '- a',
    'a\n',
    '---\n@',
    '@\n---\n@',
    '---\n---\n@',
    '# a\n@',
    'a: 1\na: 2',
  ],
  ...[
    '\ta: 1',
    'a: !!binary YQ==',
    'a: !x 1',
    '? a\n: b',
    'a: "\\x"',
    "a: 'b",
    'a: |\n  b',
    '<<: {a: 1}',
    '"\x7f": 1',
    'a: \x01',
  ],
  ...[
    'kind: ConfigMap',
    'kind: ConfigMap\napiVersion: v1',
    'kind: 7\napiVersion: v1',
    'true: 1',
    '1: 2',
    '~: 1',
    '{a: 1, a: 2}',
  ],
  `${'x'.repeat(1100)}: 1`,
  `{${'x'.repeat(1100)}: 1}`,
];
const CONTENT_TYPES = [
  ...[
    'application/json',
    'application/json',
    'application/yaml',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
  ],
  ...[
    'text/plain',
    'application/xml',
    'application/x-yaml',
    'text/json',
    'application/json;a',
    'application/',
    'a',
    '*/*',
  ],
  ...[
    'application/vnd.kubernetes.protobuf',
    'application/cbor',
    'application/merge-patch+json',
    'application/json,text/plain',
  ],
];
const PATCH_TYPES = [
  ...[
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
  ],
  ...[
    'application/apply-patch+yaml',
    'application/apply-patch+yaml',
    'application/json',
    'application/yaml',
    'text/plain',
    'a',
  ],
  ...[
    'application/merge-patch+json; charset=utf-8',
    'application/apply-patch+cbor',
    'application/merge-patch',
  ],
];
const ACCEPTS = [
  ...[
    'application/json',
    'application/yaml',
    'text/plain',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    '*/*',
  ],
  ...[
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    'application/cbor',
    'a',
    'application/json;q=0',
  ],
];

export function drawBodies(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const one = `${path}/${nameOf(subject)}`;
  const first: Step = { request: { method: 'POST', path, body: objectOf(subject) } };
  return [
    first,
    ...Array.from({ length: 8 }, () => ({ request: requestOf({ subject, path, one, random }) })),
  ];
}

interface Draw {
  readonly subject: Subject;
  readonly path: string;
  readonly one: string;
  readonly random: Random;
}

/** All of them stay dry, are refused before, or meet what the sequence has made. */
function requestOf(draw: Draw): RequestStep {
  const { one, path, random } = draw;
  const dice = random.below(100);
  if (dice < 12) return beside(draw);
  const query = { dryRun: 'All', ...(random.chance(30) && options(random)) };
  const headers = random.chance(20) ? { headers: { accept: random.pick(ACCEPTS) } } : {};
  if (dice < 45) return { method: 'POST', path, query, ...headers, ...typed(draw, CONTENT_TYPES) };
  if (dice < 65) return { method: 'PUT', path: one, query, ...headers, ...typed(draw, CONTENT_TYPES) };
  if (dice < 92) return { method: 'PATCH', path: one, query, ...headers, ...typed(draw, PATCH_TYPES) };
  // The options of a body count alone, and few of these say that the deletion stays dry.
  return {
    method: 'DELETE',
    path: !draw.subject.isNamespaced || random.chance(70) ? one : path,
    query,
    ...headers,
    ...typed(draw, CONTENT_TYPES),
  };
}

function options(random: Random): Readonly<Record<string, string>> {
  return random.pick<Readonly<Record<string, string>>>([
    { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore', 'Bad', 'strict', '']) },
    { fieldManager: random.pick(['a', 'x'.repeat(129), 'a\nb', 'é', '']) },
    { force: random.pick(['true', 'false', 'a', '']) },
    { pretty: random.pick(['true', '1', 'a']) },
    { dryRun: random.pick(['all', 'Bad', 'All,All']) },
    { timeout: random.pick(['1s', '1', 'a', '-1s', '1h']) },
    { unknown: 'a' },
  ]);
}

function typed(
  { subject, random }: Draw,
  types: readonly string[],
): Pick<RequestStep, 'bodyText' | 'bodyBase64' | 'contentType'> {
  const contentType = random.chance(4) ? '' : random.pick(types);
  if (random.chance(6)) return { contentType, bodyBase64: random.pick(BINARIES) };
  const isYaml = contentType.includes('yaml');
  const text = JSON.stringify(objectOf(subject));
  const template = random.pick(isYaml && random.chance(50) ? YAML_BODIES : BODIES);
  return { contentType, bodyText: template.replaceAll('@', text).replaceAll('%', text.slice(0, -1)) };
}

/** What is no UTF-8, and what begins as protobuf does. */
const BINARIES = [
  '/w==',
  'azhzAA==',
  'azhzAAoA',
  'azhzAAoEYWJjZA==',
  'AAAA',
  'eyJhIjoi/yJ9',
  'H4sIAAAAAAAAAw==',
];

const DRY = { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] };

/** The same with another method, or on a path near the right one. */
function beside({ subject, path, one, random }: Draw): RequestStep {
  const root = subject.apiVersion.includes('/')
    ? `/apis/${subject.apiVersion}`
    : `/api/${subject.apiVersion}`;
  const paths = [
    ...[
      `${path}/`,
      `${one}/`,
      `${one}/status/`,
      `${one}/none`,
      `${one}/status/none`,
      `${path}//x`,
      `${root}/none`,
      `${root}/`,
    ],
    ...[
      `${root}/namespaces/\${ns}/none/x`,
      `${root}/namespaces/\${ns}/${subject.resource}/A_b`,
      `${root}/${subject.resource}/x`,
    ],
    ...[
      `${root}x/${subject.resource}`,
      `/apis/${subject.resource}`,
      `${one}/scale`,
      `${root}/watch/namespaces/\${ns}/${subject.resource}/x`,
    ],
    ...[
      `${root}/namespaces/none/${subject.resource}`,
      `${root}/namespaces/\${ns}/${subject.kind}`,
      `${path}/.`,
      `${path}/%2E%2E`,
      `${path}/a%2Fb`,
    ],
  ];
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const accept = random.chance(40) ? { headers: { accept: random.pick(ACCEPTS) } } : {};
  const target = random.pick(paths);
  const body = method === 'DELETE' ? DRY : objectOf(subject);
  if (!isRead) return { method, path: target, query: { dryRun: 'All' }, ...accept, body };
  const isWatch = target.includes('/watch/') || (random.chance(10) && !target.endsWith('/'));
  return { method, path: target, query: isWatch ? { timeoutSeconds: '1' } : {}, ...accept };
}
