/**
 * Whoever takes a leadership from another has seen its lease unchanged for as long as the lease says, by the own clock: a
 * candidate that is early makes a second leader. He asks for the lease: what others in his process hear is not told to him.
 * Specification: "Lease".
 */
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import {
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type ObservationOf,
  type RuleSettings,
} from './observation.ts';

/** What somebody has seen of a lease, and since when it says so. */
interface Seen {
  readonly version: number;
  readonly text: string;
  readonly holder: string;
  readonly lasts: number;
  readonly since: number;
}

const OF_LEADERS = /\/namespaces\/kube-system\/leases\/([^/?]+)$/;

export class LeasesRunOut implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #seen = new Map<string, Map<string, Seen>>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'crashed') this.#seen.delete(observation.actor);
    else if (observation.kind === 'objects-heard' && observation.isAnswer) this.#hear(observation);
    else if (observation.kind === 'request-sent' && observation.method === 'PUT') this.#check(observation);
  }

  look(): void {
    // Leases that nobody takes break nothing.
  }

  #hear({ by, clock, objects }: ObservationOf<'objects-heard'>): void {
    for (const object of objects) {
      if (object.kind !== 'Lease' || object.metadata.namespace !== 'kube-system') continue;
      const { spec = {}, metadata } = object as Lease;
      const { name = '' } = metadata;
      const own = this.#seenBy(by);
      const text = JSON.stringify(spec);
      const version = Number(metadata.resourceVersion);
      const known = own.get(name);
      // A server that lags tells of former states: whoever has seen later ones learns nothing.
      if (known && (known.text === text || version < known.version)) continue;
      const { holderIdentity: holder = '', leaseDurationSeconds = 0 } = spec;
      own.set(name, { version, text, holder, lasts: leaseDurationSeconds * SECOND, since: clock });
    }
  }

  #check({ at, by, clock, path, body }: ObservationOf<'request-sent'>): void {
    const name = OF_LEADERS.exec(path)?.[1];
    const { metadata = {}, spec = {} } = (body ?? {}) as Partial<Lease>;
    const taker = spec.holderIdentity ?? '';
    if (name === undefined || taker === '') return;
    const seen = this.#seenBy(by).get(name);
    // What it was told before it wrote this, may reach it afterwards: it is older than what this is based on.
    const version = Number(metadata.resourceVersion) + 1;
    const lasts = (spec.leaseDurationSeconds ?? 0) * SECOND;
    this.#seenBy(by).set(name, { version, text: '', holder: taker, lasts, since: clock });
    if (!seen || seen.holder === '' || seen.holder === taker) return;
    const early = seen.since + seen.lasts - clock;
    if (early <= 0) return;
    this.#settings.report(
      at,
      `${by} takes the lease ${name} from ${seen.holder} ${inSeconds(early)} before it has run out by its own clock`,
    );
  }

  #seenBy(by: string): Map<string, Seen> {
    const own = this.#seen.get(by) ?? new Map<string, Seen>();
    this.#seen.set(by, own);
    return own;
  }
}
