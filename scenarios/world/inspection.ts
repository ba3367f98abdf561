/**
 * A cluster that stands still, looked into: its actors, what they know, and what is on its way between them. It listens to
 * messages from the start and changes nothing.
 */
import { type Cluster, formatMicros, type Micros } from '../../sim/index.ts';
import { containersOf as runningOf, copiesOf } from './rest-facts.ts';
import type { Halt, Inspection, Seen } from './world.ts';

type Actor = Cluster['user'];

/** From now on the cluster stops where `halt` says so. */
export function haltAt({ storage, simulation }: Cluster, halt: Halt): void {
  storage.watch({
    prefix: '/registry/',
    onEvents: (events) => {
      for (const event of events) {
        const before = event.previous?.value;
        const after = event.kind === 'put' ? event.entry.value : undefined;
        const { kind = '', metadata } = after ?? before ?? { kind: '', metadata: {} };
        const { namespace = '', name = '' } = metadata;
        const isMarked = isGoing(after) && !isGoing(before);
        halt.seen({ change: changeOf(before, after, isMarked), kind, namespace, name });
      }
    },
  });
  simulation.haltWhen((next) => halt.isEnough(next));
}

interface Going {
  readonly metadata: { readonly deletionTimestamp?: string };
}

const isGoing = (object: Going | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;

function changeOf(before: unknown, after: unknown, isMarked: boolean): Seen['change'] {
  if (!before) return 'created';
  if (!after) return 'deleted';
  return isMarked ? 'marked' : 'changed';
}

interface Flying {
  readonly from: string;
  readonly to: string;
  readonly since: Micros;
  readonly isOpen: () => boolean;
}

export function inspect(cluster: Cluster): Inspection {
  const flying = new Map<unknown, Flying>();
  cluster.simulation.eachActor((actor) =>
    actor.overhear({
      sent: (message, end) =>
        flying.set(message, {
          from: actor.name,
          to: end.remote,
          since: cluster.now,
          isOpen: () => end.isOpen,
        }),
      received: (message) => void flying.delete(message),
    }),
  );
  return {
    actors: () => cluster.simulation.actors.map((actor) => lineOf(actor, cluster)),
    actor: (name) => {
      const actor = cluster.simulation.findActor(name);
      return actor && storyOf(actor, cluster, flying);
    },
    flight: () =>
      [...flying].filter(([, { isOpen }]) => isOpen()).map(([message, how]) => flightText(message, how)),
  };
}

const lineOf = ({ name, state, context }: Actor, { now }: Cluster): string => {
  const skew = context.now() - now;
  const clock =
    skew === 0
      ? ''
      : `, its clock ${skew > 0 ? 'ahead' : 'behind'} by ${formatMicros(Math.abs(skew) as Micros)}`;
  return `${name}: ${state}, life ${context.incarnation}${clock}`;
};

function storyOf(actor: Actor, cluster: Cluster, flying: ReadonlyMap<unknown, Flying>): readonly string[] {
  const { name } = actor;
  return [
    lineOf(actor, cluster),
    ...linksOf(name, cluster),
    ...serverFacts(name, cluster),
    ...containersOn(name, cluster),
    ...cachesOf(name, cluster),
    ...[...flying]
      .filter(([, { from, to, isOpen }]) => (from === name || to === name) && isOpen())
      .map(([message, how]) => `in flight: ${flightText(message, how)}`),
  ];
}

function linksOf(name: string, { simulation: { actors, network } }: Cluster): readonly string[] {
  return actors
    .filter((other) => other.name !== name)
    .flatMap((other) => [[name, other.name] as const, [other.name, name] as const])
    .flatMap(([from, to]) => {
      const { state } = network.linkBetween(from, to);
      return state === 'healthy' ? [] : [`link ${from} > ${to}: ${state}`];
    });
}

function serverFacts(name: string, { apiServers, storage }: Cluster): readonly string[] {
  const server = apiServers.find((each) => each.name === name);
  if (!server) return [];
  return [
    `storage is at revision ${storage.revision}`,
    `its watch cache hears ${server.watchCacheLagMs === 0 ? 'at once' : `${server.watchCacheLagMs}ms late`}`,
  ];
}

const containersOn = (name: string, cluster: Cluster): readonly string[] =>
  runningOf(cluster)
    .filter(({ node }) => `node/${node}` === name)
    .map(
      ({ namespace, podName, name: container, id }) => `runs ${namespace}/${podName} ${container} (${id})`,
    );

/** What its informers know, and how that differs from what is stored. */
function cachesOf(name: string, cluster: Cluster): readonly string[] {
  const stored = new Map<string, string>();
  for (const { value } of cluster.storage.range({ prefix: '/registry/' }).entries) {
    const { namespace = '', name: of = '', resourceVersion = '' } = value.metadata;
    stored.set(`${value.kind} ${namespace === '' ? '' : `${namespace}/`}${of}`, resourceVersion);
  }
  return copiesOf(cluster)
    .filter(({ by }) => by === name)
    .flatMap(({ kind, versions, isPart }) => {
      const unheard = isPart
        ? []
        : [...stored].filter(
            ([title]) => title.startsWith(`${kind} `) && !versions.has(title.slice(kind.length + 1)),
          );
      const late = [...versions].filter(([of, version]) => stored.get(`${kind} ${of}`) !== version);
      return [
        `knows ${versions.size} of ${kind}`,
        ...late.map(([of, version]) => {
          const now = stored.get(`${kind} ${of}`);
          return `  ${of} as of ${version}; ${now === undefined ? 'it is gone' : `stored is ${now}`}`;
        }),
        ...unheard.map(([title, version]) => `  not ${title.slice(kind.length + 1)}; stored is ${version}`),
      ];
    });
}

const LONGEST = 100;

interface Told {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly kind?: string;
  readonly event?: { readonly type?: string };
  readonly body?: Told;
  readonly of?: string;
}

function flightText(message: unknown, { from, to, since }: Flying): string {
  return `${from} > ${to}: ${toldText(message as Told)} (sent at ${formatMicros(since)})`;
}

function toldText(message: Told): string {
  const { body = message, event, of = '' } = message;
  if (event) return `event ${event.type ?? ''} of ${of}`;
  if (body.method !== undefined) return `${body.method} ${body.path ?? ''}`;
  if (typeof body.status === 'number') return `answer ${body.status}`;
  const text = message.kind ?? JSON.stringify(message);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
