/**
 * At rest all that anybody remembers can be found out anew: when every server, manager, scheduler and agent begins again,
 * nothing becomes another. What was forgotten, never heard or counted wrongly before shows as a change afterwards.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { CertificateSigningRequest } from '../../sim/api/types/certificates-k8s-io-v1.ts';
import type { CronJobSpec } from '../../sim/api/types/batch-v1.ts';
import type { Pod, PodSpec, PodStatus, Secret } from '../../sim/api/types/core-v1.ts';
import { isMapping } from '../api/json.ts';
import { isKeptByNodesAlone } from '../pod-facts.ts';
import { nameOf } from '../workloads/owned-pods.ts';
import type { PastFacts } from './facts.ts';
import { type MadeByItself, OF_NAMESPACES } from './lost-untold.ts';

/** Objects by `kind namespace/name`. */
type Objects = Readonly<Record<string, unknown>>;

/** Lives are told of: that is what these are for. */
const TOLD = /^(Event|Lease|APIService) /;
/** How often something was written is no matter. */
const UNCOUNTED: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'lastHeartbeatTime']);
/** They count what others are, or are signed by them. */
const COUNTING =
  /^(PodDisruptionBudget|ResourceQuota|Endpoints|EndpointSlice|HorizontalPodAutoscaler|Node) |^ConfigMap kube-public\/cluster-info$/;
const STATIC = 'kubernetes.io/config.mirror';

/**
 * What differs, in words. What becomes another by time alone is left out, and whatever that is counted by; so is what is
 * `unmended`.
 */
export function changesAcrossRestart(
  before: Objects,
  after: Objects,
  unmended: Unmended = NOTHING_UNMENDED,
): readonly string[] {
  const moving = new Set([...movingOf(before, after), ...placedSooner(before, after, unmended)]);
  const titles = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return titles
    .filter((title) => !TOLD.test(title) && !moving.has(title))
    .filter((title) => !isUnmended(title, before[title] ?? after[title], unmended))
    .filter((title) => moving.size === 0 || !COUNTING.test(title))
    .flatMap((title) => {
      const [was, is] = [before[title], after[title]];
      if (was === is) return [];
      if (was === undefined) return [`${title} came to be when all began anew`];
      if (is === undefined) return isLeftover(title, before) ? [] : [`${title} went when all began anew`];
      const found = difference(timeless(was), timeless(is), '');
      return found === undefined ? [] : [`${title}: when all began anew, ${found}`];
    });
}

/** What only a new beginning sets right, here as in a real cluster. */
export interface Unmended {
  readonly titles: ReadonlySet<string>;
  /** Of pods that wait for the next flush. */
  readonly passedOver: ReadonlySet<string>;
  /** Whose slices nobody writes. */
  readonly services: ReadonlySet<string>;
  /** That took no pods: whoever wants some there goes on now. */
  readonly namespaces: ReadonlySet<string>;
}

const NOTHING_UNMENDED: Unmended = {
  titles: new Set(),
  passedOver: new Set(),
  services: new Set(),
  namespaces: new Set(),
};

export function unmendedOf(objects: Objects, past: PastFacts): Unmended {
  const all = Object.entries(objects as Readonly<Record<string, ApiObject>>);
  const isUnmended = (object: ApiObject): boolean =>
    past.lostUnseen(object) ||
    past.changedUnseen(object) ||
    past.isOvertaken(object) ||
    past.isMiscounted(object);
  const services = all.filter(([, { kind }]) => kind === 'Service').map(([, service]) => nameOf(service));
  return {
    titles: new Set([
      ...all.filter(([, object]) => isUnmended(object)).map(([title]) => title),
      ...madeByItself(all.map(([, object]) => object))
        .filter(({ kind, name }) => past.isLost(kind, name))
        .map(({ kind, name }) => `${kind} ${name}`),
    ]),
    passedOver: new Set(all.filter(([, object]) => past.isPassedOver(object)).map(([title]) => title)),
    services: new Set(services.filter((name) => past.slicesAreStuck(name))),
    namespaces: new Set(
      all
        .filter(([, { kind }]) => kind === 'Namespace')
        .map(([, { metadata }]) => metadata.name ?? '')
        .filter((name) => past.isLost('ServiceAccount', `${name}/default`)),
    ),
  };
}

/** What the cluster makes for what there is. */
const madeByItself = (objects: readonly ApiObject[]): readonly { kind: MadeByItself; name: string }[] =>
  objects.flatMap((object) => {
    if (object.kind === 'Service') return [{ kind: 'Endpoints', name: nameOf(object) }];
    const { name = '' } = object.metadata;
    if (object.kind !== 'Namespace') return [];
    return [...OF_NAMESPACES].map(([kind, own]) => ({ kind, name: `${name}/${own}` }));
  });

function isUnmended(title: string, object: unknown, { titles, services, namespaces }: Unmended): boolean {
  if (titles.has(title)) return true;
  const { namespace = '', labels = {} } = (object as ApiObject).metadata;
  if (namespaces.has(namespace)) return true;
  return (
    title.startsWith('EndpointSlice ') &&
    services.has(`${namespace}/${labels['kubernetes.io/service-name'] ?? ''}`)
  );
}

/**
 * A node that is opened anew is no news for a pod that has no room there yet, or would have to evict others; and the end of
 * another pod is no news for one of which only the nodes themselves were said to be wrong; nor is it any that a place is
 * not taken that was promised to another. A scheduler tries these with the next flush, within five minutes, or when it begins
 * anew.
 */
function placedSooner(before: Objects, after: Objects, { passedOver }: Unmended): readonly string[] {
  const pods = Object.entries(before).filter(([title]) => title.startsWith('Pod ')) as readonly (readonly [
    string,
    Pod,
  ])[];
  const placed = pods.filter(
    ([title, { spec }]) =>
      spec?.nodeName === undefined && (after[title] as Pod | undefined)?.spec?.nodeName !== undefined,
  );
  const evicted = placed.flatMap(([title, { spec }]) => {
    const node = (after[title] as Pod).spec?.nodeName;
    return pods.filter(
      ([other, { spec: its }]) =>
        its?.nodeName === node && after[other] === undefined && (its?.priority ?? 0) < (spec?.priority ?? 0),
    );
  });
  // Where somebody had to go there is room for others, too.
  const sooner =
    evicted.length > 0
      ? placed
      : placed.filter(([title, pod]) => isKeptByNodesAlone(pod) || passedOver.has(title));
  return [...sooner, ...evicted].map(([title]) => title);
}

/**
 * Endpoints without a service are looked for once, when their controller starts, and requests that were decided long ago then
 * and each hour.
 */
function isLeftover(title: string, before: Objects): boolean {
  if (title.startsWith('Endpoints ')) return before[title.replace('Endpoints', 'Service')] === undefined;
  if (!title.startsWith('CertificateSigningRequest ')) return false;
  const { status } = before[title] as CertificateSigningRequest;
  return (status?.conditions ?? []).length > 0;
}

/**
 * Without what need not be so before and after: an agent finds its static pods before it hears what it once said of them,
 * and a scheduler says of a waiting pod what it found when it last tried; that may be old, or was refused and is not said
 * again before the next try.
 */
function timeless(object: unknown): unknown {
  const { kind, metadata, status } = object as ApiObject & { readonly status?: PodStatus };
  if (kind !== 'Pod') return object;
  const { startTime, conditions = [] } = status ?? {};
  const said = conditions.filter((one) => one.type !== 'PodScheduled' || one.status === 'True');
  const isStatic = metadata.annotations?.[STATIC] !== undefined;
  return {
    ...(object as object),
    status: { ...status, conditions: said, startTime: isStatic ? '' : startTime },
  };
}

/** Titles of what time moves, of its owners, and of what it owns, or owned before. */
function movingOf(before: Objects, after: Objects): ReadonlySet<string> {
  const all = [before, after].flatMap(Object.entries) as readonly (readonly [string, ApiObject])[];
  const moving = new Set<string>();
  const uids = new Set<string>();
  for (let known = -1; known !== moving.size + uids.size;) {
    known = moving.size + uids.size;
    for (const [title, object] of all) {
      const { uid = '', ownerReferences = [] } = object.metadata;
      if (
        !moving.has(title) &&
        !isMovedByTime(object) &&
        !uids.has(uid) &&
        !ownerReferences.some((owner) => uids.has(owner.uid))
      )
        continue;
      moving.add(title);
      for (const each of [uid, ...ownerReferences.map((owner) => owner.uid)]) uids.add(each);
    }
  }
  return moving;
}

/**
 * What its containers do takes time, or it starts something at a time, or it goes and is held: whoever came to be owned
 * by it meanwhile is looked at when it is gone, or when somebody begins anew. What its probes say is found out again by an
 * agent that begins anew (until 1.35), and whoever goes by that goes by it again.
 */
const isMovedByTime = ({
  kind,
  metadata,
  spec,
  type,
  data,
}: ApiObject & { readonly spec?: Partial<CronJobSpec & PodSpec> } & Partial<
    Pick<Secret, 'type' | 'data'>
  >): boolean =>
  metadata.deletionTimestamp !== undefined ||
  Object.keys(metadata.annotations ?? {}).some((name) => name.startsWith('behaviour.')) ||
  (kind === 'CronJob' && spec?.suspend !== true) ||
  (kind === 'Pod' && isProbed(spec)) ||
  // It has an end of its own.
  (type === 'bootstrap.kubernetes.io/token' && data?.['expiration'] !== undefined);

const isProbed = ({ containers = [], initContainers = [] }: Partial<PodSpec> = {}): boolean =>
  [...containers, ...initContainers].some(
    ({ readinessProbe, startupProbe }) => (readinessProbe ?? startupProbe) !== undefined,
  );

/** The first member that became another. */
function difference(was: unknown, is: unknown, path: string): string | undefined {
  if (was === is) return undefined;
  if (isMapping(was) && isMapping(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (UNCOUNTED.has(name)) continue;
      const found = difference(was[name], is[name], path === '' ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    for (const [index, item] of was.entries()) {
      const found = difference(item, is[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return `${path} became ${shown(is)} from ${shown(was)}`;
}

const LONGEST = 120;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
