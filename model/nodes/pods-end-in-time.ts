/**
 * A pod that is being deleted is gone soon after the grace that it was given last, where nothing hinders the agent of its
 * node, and nothing but the agent holds it. Kubernetes 1.31: "Termination of Pods".
 */
import type { Pod } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
  wellSince,
} from './observation.ts';

/** What hears of it, kills what does not end by itself, and tells that. */
const GONE_WITHIN = 12 * SECOND;
const MIRROR = 'kubernetes.io/config.mirror';

interface End {
  readonly node: string;
  readonly name: string;
  readonly since: number;
  readonly dueAt: number;
}

export class PodsEndInTime implements NodeRule {
  readonly #settings: RuleSettings;
  /** By uid. */
  readonly #ends = new Map<string, End>();
  readonly #nodes = new Set<string>();
  /** Since when agents are hindered by nothing; absent: they are. */
  readonly #fineSince = new Map<string, number>();
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') this.#wholeSince = wellSince(observation);
    else if (observation.kind === 'agent') {
      this.#fineSince.delete(observation.node);
      if (observation.isFine) this.#fineSince.set(observation.node, at === 0 ? at : at + CONVALESCENCE);
    } else if (observation.kind === 'stored') {
      const { before, after } = observation;
      const { kind, metadata } = after ?? before ?? {};
      if (kind === 'Pod') this.#podStored(at, before, after);
      else if (kind === 'Node' && after) this.#nodes.add(metadata?.name ?? '');
      else if (kind === 'Node') this.#nodes.delete(metadata?.name ?? '');
    }
  }

  look(at: number): void {
    if (this.#wholeSince === undefined) return;
    for (const [uid, { node, name, since, dueAt }] of this.#ends) {
      const fineSince = this.#fineSince.get(node);
      if (fineSince === undefined || !this.#nodes.has(node)) continue;
      const from = Math.max(dueAt, fineSince, this.#wholeSince);
      if (at - from <= GONE_WITHIN + this.#settings.slack) continue;
      this.#ends.delete(uid);
      this.#settings.report(
        at,
        `pod ${name} on ${node}, deleted ${inSeconds(at - since)} ago, should have been gone ${inSeconds(at - dueAt)} ago`,
      );
    }
  }

  #podStored(at: number, before: Pod | undefined, after: Pod | undefined): void {
    const { metadata, spec } = (after ?? before) as Pod;
    const { uid = '', namespace = '', name = '', deletionGracePeriodSeconds = 0 } = metadata;
    if (!after || !isOfAgent(after)) {
      this.#ends.delete(uid);
      return;
    }
    const known = this.#ends.get(uid);
    const isHurried =
      before?.metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds || known === undefined;
    if (!isHurried) return;
    const dueAt = at + deletionGracePeriodSeconds * SECOND;
    this.#ends.set(uid, {
      node: spec?.nodeName ?? '',
      name: `${namespace}/${name}`,
      since: known?.since ?? at,
      dueAt: Math.min(known?.dueAt ?? Infinity, dueAt),
    });
  }
}

/** It goes when its agent says so. */
const isOfAgent = ({ metadata, spec }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).length === 0 &&
  metadata.annotations?.[MIRROR] === undefined &&
  Boolean(spec?.nodeName);
