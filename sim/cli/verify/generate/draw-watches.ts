/** A watch with any options, what happens meanwhile, and what it tells. */
import type { Json } from '../../../api/object.ts';
import type { Query, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, objectOf, type Subject } from './subjects.ts';

const ACCEPTS = [
  'application/json',
  'application/json',
  'application/json;stream=watch',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml',
  'application/cbor',
  'text/plain',
];
/** Whether a version of long ago is still kept depends on all that others did to the kind. */
const VERSIONS = ['${rv}', '${rv}', '${rv}', '0', '', 'a', '-1', '999999999999'];
const QUIET_MS = 150;

/** Only of namespaces: what else changes in a cluster is nobody's business here. */
export function drawWatches(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const one = `${path}/${nameOf(subject)}`;
  const patch = (labels: Json): Step => ({
    request: {
      method: 'PATCH',
      path: one,
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels } },
    },
  });
  return [
    { request: { method: 'GET', path }, select: ['/kind'], capture: { rv: '/metadata/resourceVersion' } },
    { request: { method: 'POST', path, body: objectOf(subject) } },
    {
      watchOpen: {
        id: 'w',
        path,
        query: watchQuery(random),
        headers: { accept: random.pick(ACCEPTS) },
      },
    },
    patch({ app: 'a' }),
    patch({ app: random.pick(['a', 'b']) }),
    patch({ app: null }),
    { request: { method: 'DELETE', path: one, query: { gracePeriodSeconds: '0' } } },
    { watchRead: { id: 'w', quietMs: QUIET_MS } },
    { watchClose: { id: 'w' } },
  ];
}

function watchQuery(random: Random): Query {
  return {
    watch: random.pick(['true', '1', 'true', 'a']),
    ...(random.chance(75) && { resourceVersion: random.pick(VERSIONS) }),
    ...(random.chance(15) && { resourceVersionMatch: random.pick(['NotOlderThan', 'Exact', 'Bad', '']) }),
    ...(random.chance(30) && {
      labelSelector: random.pick(['app=a', 'app!=a', 'app', '!app', 'app in (b)', 'a b']),
    }),
    ...(random.chance(20) && {
      fieldSelector: random.pick([
        'metadata.name=x',
        'metadata.name!=x',
        'metadata.namespace=${ns}',
        'a=b',
        'a',
      ]),
    }),
    ...(random.chance(15) && { sendInitialEvents: random.pick(['true', 'false', 'a']) }),
    ...(random.chance(15) && { allowWatchBookmarks: random.pick(['true', 'false', 'a']) }),
    ...(random.chance(10) && { timeoutSeconds: random.pick(['a', '-1', '30']) }),
    ...(random.chance(10) && { limit: random.pick(['1', 'a', '-1']) }),
    ...(random.chance(8) && { continue: random.pick(['a', '']) }),
    ...(random.chance(5) && { pretty: 'true' }),
    ...(random.chance(5) && { includeObject: random.pick(['None', 'Object', 'Bad']) }),
  };
}
