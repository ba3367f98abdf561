/** Objects, and reads of them with any selector, version, page and form of the answer. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Query, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, objectOf, type Subject } from './subjects.ts';

const G = 'g=meta.k8s.io';
const ACCEPTS = [
  'application/json',
  '*/*',
  'application/*',
  'text/*',
  '',
  `application/json;as=Table;v=v1;${G}`,
  `application/json;as=Table;v=v1beta1;${G}`,
  `application/json;as=Table;v=v2;${G}`,
  'application/json;as=Table',
  `application/json;as="Table";v=v1;${G}`,
  `application/json;as=table;v=v1;${G}`,
  `application/json;as=PartialObjectMetadata;v=v1;${G}`,
  `application/json;as=PartialObjectMetadataList;v=v1;${G}`,
  `application/json;as=PartialObjectMetadataList;v=v1beta1;${G}`,
  `application/vnd.kubernetes.protobuf;as=Table;v=v1;${G},application/json`,
  `application/vnd.kubernetes.protobuf;as=Table;v=v1;${G}`,
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  `application/yaml;as=Table;v=v1;${G}`,
  'application/json;q=0',
  'application/json;q=0.1,application/yaml;q=0.9',
  'application/json;q=a',
  'text/html,application/json;q=0.5',
  'application/json;stream=watch',
  'application/json;pretty=1',
  'application/json;as=Foo;v=v1;g=a',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/cbor',
  'text/plain',
  ';',
  ',',
];
const LABEL_SELECTORS = [
  'app=a',
  'app!=a',
  'app',
  '!app',
  'app in (a,b)',
  'app notin (a)',
  'a b',
  'app=',
  'app in ()',
  'n>1',
  'n<2',
  'app=a,',
  ' app = a ',
  'app exists',
  'app=!a',
  'in in (in)',
  'n in (0,1',
  'app=a,n=0',
];
const FIELD_SELECTORS = [
  'metadata.name=x',
  'metadata.name!=x',
  'metadata.name==x',
  'metadata.namespace=none',
  'metadata.namespace=${ns}',
  'metadata.name=x,metadata.name!=y',
  'metadata.name in (x)',
  'status.phase=Pending',
  'spec.nodeName=',
  'type=Opaque',
  'spec.foo=a',
  'metadata.name=a\\,b',
  'a',
  '=a',
];
const LIMITS = ['1', '2', '500', '0', '-1', 'a', '1.5'];
const VERSIONS = ['0', '${rv}', '${rv}', '${rv}', '', 'a', '-1', '1.5', '18446744073709551616'];
const CONTINUES = ['${cont}', '${cont}', 'a', '', 'e30=', 'eyJ2IjoieCJ9'];
const NAMES = ['x', 'x', 'x', 'none', 'A', 'a%20b', '%7F'];

export function drawReads(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const labelled = (name: string, labels: JsonObject): Json => ({
    ...objectOf(subject, name),
    metadata: { name, labels },
  });
  const other = subject.isNamespaced ? 'y' : '${unique}-y';
  return [
    { request: { method: 'POST', path, body: labelled(nameOf(subject), { case: '${unique}', n: '0' }) } },
    { request: { method: 'POST', path, body: labelled(other, { case: '${unique}', n: '1', app: 'a' }) } },
    {
      request: { method: 'GET', path, query: { labelSelector: 'case=${unique}', limit: '1' } },
      capture: { rv: '/metadata/resourceVersion', cont: '/metadata/continue' },
    },
    ...Array.from({ length: 5 }, () => readOf(subject, random)),
  ];
}

function readOf(subject: Subject, random: Random): Step {
  const path = collectionOf(subject);
  const isOne = random.chance(20);
  const method = random.chance(95) ? 'GET' : random.pick(['HEAD', 'OPTIONS']);
  const name = subject.isNamespaced ? random.pick(NAMES) : '${unique}';
  return {
    request: {
      method,
      path: isOne ? `${path}/${name}` : path,
      query: queryOf(subject, isOne, random),
      ...(random.chance(50) && { headers: { accept: random.pick(ACCEPTS) } }),
    },
  };
}

function queryOf({ isNamespaced }: Subject, isOne: boolean, random: Random): Query {
  const selector = random.chance(45) ? random.pick(LABEL_SELECTORS) : '';
  // What else is in the cluster is nobody's business here.
  const own = isNamespaced || isOne ? selector : `case=\${unique}${selector && `,${selector}`}`;
  const version = random.chance(35) && random.pick(VERSIONS);
  return {
    ...(own !== '' && { labelSelector: own }),
    ...(random.chance(30) && { fieldSelector: random.pick(FIELD_SELECTORS) }),
    ...(version !== false && { resourceVersion: version }),
    ...(random.chance(version === false ? 5 : 45) && {
      resourceVersionMatch: random.pick(['Exact', 'NotOlderThan', 'NotOlderThan', 'exact', '', 'Bad']),
    }),
    ...(random.chance(30) && { limit: random.pick(LIMITS) }),
    ...(random.chance(12) && { continue: random.pick(CONTINUES) }),
    ...(random.chance(5) && { timeoutSeconds: random.pick(['1', '0', '-1', 'a']) }),
    ...(random.chance(4) && { sendInitialEvents: random.pick(['true', 'a']) }),
    ...(random.chance(5) && { pretty: random.pick(['true', '1', 'false', 'a']) }),
    ...(random.chance(8) && { includeObject: random.pick(['None', 'Metadata', 'Object', 'Bad', '']) }),
    ...(random.chance(3) && { watch: random.pick(['false', '0']) }),
    ...(random.chance(3) && { unknown: 'a' }),
  };
}
