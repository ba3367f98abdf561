/**
 * The renewals of a node's lease are monotone: the time of renewal never goes back for one holder, unless its machine's
 * clock was turned back; a lease that has not run out does not change hands; versions are those of the writes.
 * Specification: "Lease".
 */
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import { inSeconds, SECOND, type NodeRule, type Observation, type RuleSettings } from './observation.ts';

export class LeaseRenewalsMonotone implements NodeRule {
  readonly #settings: RuleSettings;
  /** Microseconds since 1970 of the last renewal, by lease and holder. */
  readonly #renewed = new Map<string, number>();
  /** By how much a node's clock was turned back since a renewal showed it. */
  readonly #turnedBack = new Map<string, number>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'clock-turned-back') {
      const { node, by } = observation;
      this.#turnedBack.set(node, (this.#turnedBack.get(node) ?? 0) + by);
    } else if (observation.kind === 'stored') {
      const { at, revision, before, after } = observation;
      if (after?.kind !== 'Lease' || after.metadata.namespace !== 'kube-node-lease') return;
      this.#checkVersion(at, revision, before, after);
      this.#checkHolder(at, before, after);
      this.#checkTime(at, after);
    }
  }

  look(): void {
    // Leases that nobody writes break nothing.
  }

  #checkVersion(at: number, revision: number, before: Lease | undefined, after: Lease): void {
    const { name = '', resourceVersion = '' } = after.metadata;
    const old = Number(before?.metadata.resourceVersion ?? 0);
    if (resourceVersion === String(revision) && revision > old) return;
    this.#settings.report(
      at,
      `the lease of ${name} has resourceVersion ${resourceVersion}; it was written at revision ${revision}, after ${old}`,
    );
  }

  #checkHolder(at: number, before: Lease | undefined, after: Lease): void {
    const from = before?.spec?.holderIdentity;
    const to = after.spec?.holderIdentity;
    const renewed = microsOf(before?.spec?.renewTime);
    if (from === undefined || from === '' || from === to || renewed === undefined) return;
    const ends = renewed + (before?.spec?.leaseDurationSeconds ?? 0) * SECOND;
    const taken = microsOf(after.spec?.renewTime) ?? renewed;
    if (taken >= ends) return;
    this.#settings.report(
      at,
      `the lease of ${after.metadata.name ?? ''} went from ${from} to ${to ?? 'nobody'} ${inSeconds(ends - taken)} before it ran out`,
    );
  }

  #checkTime(at: number, { metadata: { name = '' }, spec }: Lease): void {
    const renewed = microsOf(spec?.renewTime);
    if (renewed === undefined) return;
    const key = `${name} ${spec?.holderIdentity ?? ''}`;
    const last = this.#renewed.get(key) ?? renewed;
    this.#renewed.set(key, renewed);
    if (renewed >= last) return;
    const allowed = this.#turnedBack.get(name) ?? 0;
    this.#turnedBack.delete(name);
    if (last - renewed <= allowed) return;
    const excuse =
      allowed === 0
        ? 'its clock was not turned back since'
        : `its clock was turned back by ${inSeconds(allowed)} only`;
    this.#settings.report(
      at,
      `the lease of ${name} was renewed ${inSeconds(last - renewed)} before its last renewal, to ${spec?.renewTime ?? ''}; ${excuse}`,
    );
  }
}

/** Of `2025-01-01T00:00:00.000000Z`. */
function microsOf(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const micros = /\.\d{3}(\d{3})Z$/.exec(time)?.[1] ?? '0';
  return Date.parse(time) * 1_000 + Number(micros);
}
