/**
 * A container that ends again and again waits before it is started anew: not at all at first, then 10 s, 20 s, 40 s and so
 * on up to five minutes; after ten minutes of quiet the count begins anew. Counted for each life of its agent.
 * Kubernetes 1.31: "Container restarts".
 */
import type { Node } from '../../sim/api/types/core-v1.ts';
import {
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type ObservationOf,
  type RuleSettings,
} from './observation.ts';

const FIRST = 10 * SECOND;
const LONGEST = 300 * SECOND;
const QUIET = 600 * SECOND;
/** Clocks of machines may be a little fast. */
const TOLERANCE = 0.88;
/** Of images that are pulled, hooks that run, and whatever else a start may take. */
const START_WITHIN = 90 * SECOND;

interface Followed {
  startedAt: number;
  /** The least that the next pause may be. */
  pause: number;
}

export class ContainersBackOff implements NodeRule {
  readonly #settings: RuleSettings;
  /** By machine, pod and name. */
  readonly #containers = new Map<string, Followed>();
  readonly #endedAt = new Map<string, number>();
  /** Since when nothing hinders an agent. */
  readonly #fineSince = new Map<string, number>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'crashed') this.#forget(`${observation.actor} `);
    else if (observation.kind === 'stored') this.#noteReadiness(at, observation.after);
    else if (observation.kind === 'agent') {
      if (observation.isFine) this.#fineSince.set(`node/${observation.node}`, at);
      else this.#fineSince.set(`node/${observation.node}`, Infinity);
    } else if (observation.kind === 'container-stopped') {
      const { machine, container, endedAt } = observation;
      if (endedAt !== undefined)
        this.#endedAt.set(`${machine} ${container.podUid} ${container.name}`, endedAt);
    } else if (observation.kind === 'container-started') this.#started(at, observation);
  }

  look(): void {
    // Only a start can come too early.
  }

  #started(at: number, { machine, container }: ObservationOf<'container-started'>): void {
    const key = `${machine} ${container.podUid} ${container.name}`;
    const known = this.#containers.get(key);
    const endedAt = this.#endedAt.get(key);
    this.#endedAt.delete(key);
    if (!known || endedAt === undefined) {
      this.#containers.set(key, { startedAt: at, pause: 0 });
      return;
    }
    const least = endedAt - known.startedAt >= QUIET ? 0 : known.pause;
    const paused = at - endedAt;
    if (paused < least * TOLERANCE)
      this.#settings.report(
        at,
        `container ${container.name} of ${container.namespace}/${container.podName} on ${machine} was started ${inSeconds(paused)} after its end; it had to wait for ${inSeconds(least)}`,
      );
    const wasFine = (this.#fineSince.get(machine) ?? 0) <= known.startedAt;
    if (wasFine && endedAt - known.startedAt >= QUIET && paused > START_WITHIN)
      this.#settings.report(
        at,
        `container ${container.name} of ${container.namespace}/${container.podName} on ${machine} ran well for ${inSeconds(endedAt - known.startedAt)}, and waited for ${inSeconds(paused)}`,
      );
    this.#containers.set(key, { startedAt: at, pause: least === 0 ? FIRST : Math.min(LONGEST, 2 * least) });
  }

  /** An agent whose runtime does not answer says so. */
  #noteReadiness(at: number, object: ObservationOf<'stored'>['after']): void {
    if (object?.kind !== 'Node') return;
    const { conditions } = (object as Node).status ?? {};
    const isReady = conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    if (!isReady) this.#fineSince.set(`node/${object.metadata.name ?? ''}`, at);
  }

  #forget(prefix: string): void {
    for (const key of this.#containers.keys()) if (key.startsWith(prefix)) this.#containers.delete(key);
  }
}
