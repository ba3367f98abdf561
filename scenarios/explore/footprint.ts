/**
 * What the events of a run read and change, by what their records say. It is meant to say too much rather than too little:
 * what is not known touches everything around it.
 *
 * - Whoever is no server is touched as a whole: two events of one actor are never independent.
 * - API servers, however many, share one store. A request touches the collection that it is about, whatever the name: who
 *   lists or watches sees the order of all of its objects. What other requests are judged by (namespaces, quotas,
 *   definitions, webhooks, roles …) and whatever is no request touches the whole store.
 * - What the world does (a fault, a check) touches everything.
 *
 * It does not see what only numbers of revisions or instants tell: that one write has a lower number than an unrelated
 * one, or was late by less than a window.
 */
import type { WorldRecord } from '../world/world.ts';

export interface Use {
  readonly what: string;
  readonly changes: boolean;
}

/** Of one event. */
export interface Footprint {
  readonly uses: readonly Use[];
  /** The same in every order in which it happens after the same things. */
  readonly label: string;
}

const ALL: Use = { what: 'everything', changes: true };
const PART_OF_ALL: Use = { what: 'everything', changes: false };
const STORE: Use = { what: 'store', changes: true };
const PART_OF_STORE: Use = { what: 'store', changes: false };

/** `records`: all of one event, its own first. `countsAcross`: a quota may count objects of any kind. */
export function footprintOf(records: readonly WorldRecord[], countsAcross: boolean): Footprint {
  const [own] = records;
  if (!own || own.actor === '') return { uses: [ALL], label: labelOf(own, [ALL]) };
  const uses = [PART_OF_ALL, ...usesOf(own, records, countsAcross)];
  return { uses, label: labelOf(own, uses) };
}

function usesOf(own: WorldRecord, records: readonly WorldRecord[], countsAcross: boolean): readonly Use[] {
  const { actor, kind, subject, touches } = own;
  if (!SERVER.test(actor)) return [{ what: actor, changes: true }];
  const connection = { what: subject, changes: true };
  if (CONNECTING.has(kind)) return [PART_OF_STORE, connection];
  const path = touches.find((each) => each.startsWith('/'));
  if (kind !== 'message') return [STORE];
  const requests = records.filter((each) => METHODS.has(each.kind));
  // A watch is opened, or a request has to wait: what it comes to, comes later.
  if (requests.length === 0)
    return path === undefined
      ? [PART_OF_STORE, connection]
      : storeUses(path, IS_WATCH.test(subject) ? 'GET' : 'PUT', countsAcross);
  return requests.flatMap((each) => storeUses(each.subject, each.kind, countsAcross));
}

function storeUses(path: string, method: string, countsAcross: boolean): readonly Use[] {
  const changes = method !== 'GET';
  const place = placeOf(path);
  if (!place || (changes && (countsAcross || GOVERNING.has(place.resource)))) return [STORE];
  const { collection, object } = place;
  const ofObject = object === undefined ? [] : [{ what: object, changes }];
  // Who reads one object by its name sees nothing of the others.
  return changes || object === undefined
    ? [PART_OF_STORE, { what: collection, changes }, ...ofObject]
    : [PART_OF_STORE, ...ofObject];
}

interface Place {
  readonly resource: string;
  readonly collection: string;
  readonly object: string | undefined;
}

/** `/api/v1/namespaces/default/pods/web-0/status`: the pods, and of these `default/web-0`. */
function placeOf(path: string): Place | undefined {
  const [, group, rest = ''] = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/([^?]*)/.exec(path) ?? [];
  if (group === undefined) return undefined;
  const parts = rest.split('/');
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const [resource = '', name] = isNamespaced ? parts.slice(2) : parts;
  const collection = `${group}/${resource}`;
  const namespace = isNamespaced ? `${parts[1] ?? ''}/` : '';
  return {
    resource,
    collection,
    object: name === undefined ? undefined : `${collection} ${namespace}${name}`,
  };
}

/** Whether there is a quota: it counts what is made of any kind, within one object. */
export const hasQuota = (records: readonly WorldRecord[]): boolean =>
  records.some(({ kind, subject }) => kind === 'POST' && subject.includes('/resourcequotas'));

const labelOf = (own: WorldRecord | undefined, uses: readonly Use[]): string =>
  [
    own?.actor,
    own?.kind,
    own?.subject,
    ...uses.map(({ what, changes }) => `${what}${changes ? '!' : ''}`),
  ].join(' ');

const SERVER = /^(apiserver|etcd)\//;
const IS_WATCH = /:watch#/;
const CONNECTING: ReadonlySet<string> = new Set(['connect', 'accept']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Others are judged by these, or go with them. */
const GOVERNING: ReadonlySet<string> = new Set([
  'namespaces',
  'resourcequotas',
  'limitranges',
  'serviceaccounts',
  'secrets',
  'nodes',
  'priorityclasses',
  'runtimeclasses',
  'storageclasses',
  'ingressclasses',
  'customresourcedefinitions',
  'apiservices',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'flowschemas',
  'prioritylevelconfigurations',
]);
