/**
 * No pod stays on a dead node longer than it tolerates, plus what the cluster may need to give the node up: the
 * controller's next look, and the turns of the nodes before it at the rate of its zone. What was planned for a taint
 * before this one may stand. A node that is gone keeps its pods no longer than the quarantine and the next round of the
 * garbage collector. A pod that is being deleted does not stay. Specification: "Taints", "Limits".
 */
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
  wellSince,
} from './observation.ts';
import { PlannedEvictions, toleratedMicros } from './planned-evictions.ts';
import { WaitingLine } from './waiting-line.ts';
import { readyStatusOf, zoneOf } from './zones.ts';

/** The controller's next look, the first turn's rounding, and the writes. */
const LOOK = 15 * SECOND;
/** Quarantine of a missing node, two rounds of the collector. */
const ORPHANED = 80 * SECOND;
const UNREADY_TAINTS: Readonly<Record<string, string>> = {
  False: 'node.kubernetes.io/not-ready',
  Unknown: 'node.kubernetes.io/unreachable',
};

interface Stay {
  readonly pod: Pod;
  readonly boundAt: number;
}

interface Trouble {
  readonly taint: string;
  /** When the node got the taint, or should have had it at the latest. */
  tolerateFrom: number | undefined;
  readonly since: number;
}

export class NoPodOverstays implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #nodes = new Map<string, Node>();
  /** By node, then by the pod's uid. */
  readonly #stays = new Map<string, Map<string, Stay>>();
  readonly #troubles = new Map<string, Trouble>();
  /** Nodes that pods name and that are not there, each with the time since when. */
  readonly #missing = new Map<string, number>();
  readonly #line = new WaitingLine();
  readonly #planned = new PlannedEvictions();
  /** From when on nothing hinders the control plane; undefined while something does. */
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') {
      this.#line.advance(at);
      this.#line.restartAt(at + CONVALESCENCE);
      this.#wholeSince = wellSince(observation);
      for (const trouble of this.#troubles.values()) trouble.tolerateFrom = undefined;
      for (const [name, node] of this.#nodes) if (this.#troubles.has(name)) this.#judge(at, node);
    } else if (observation.kind === 'stored') {
      const { before, after } = observation;
      const { kind } = after ?? before ?? {};
      if (kind === 'Node') this.#nodeStored(at, before, after);
      else if (kind === 'Pod') this.#podStored(at, before, after);
    }
  }

  look(at: number): void {
    if (this.#troubles.size === 0 && this.#missing.size === 0) return;
    this.#line.advance(at);
    if (this.#wholeSince === undefined) return;
    for (const [name, trouble] of this.#troubles) {
      if (trouble.tolerateFrom === undefined && this.#line.isOverdue(name, LOOK + this.#settings.slack))
        trouble.tolerateFrom = at;
      if (trouble.tolerateFrom !== undefined) this.#lookAtPods(at, name, trouble);
    }
    for (const [name, since] of this.#missing) this.#lookAtOrphans(at, name, since);
  }

  #nodeStored(at: number, before: Node | undefined, after: Node | undefined): void {
    this.#line.advance(at);
    const name = (after ?? before)?.metadata.name ?? '';
    this.#planned.nodeStored(at, name, after);
    if (after) {
      this.#nodes.set(name, after);
      this.#missing.delete(name);
      this.#judge(at, after);
    } else {
      this.#nodes.delete(name);
      this.#troubles.delete(name);
      this.#line.leave(name);
      if (this.#stays.has(name)) this.#missing.set(name, at);
    }
    if (!before || !after || !isCountedAlike(before, after)) this.#line.replace(before, after);
  }

  /** What the node's readiness asks for, and whether it is there already. */
  #judge(at: number, node: Node): void {
    const name = node.metadata.name ?? '';
    const taint = UNREADY_TAINTS[readyStatusOf(node) ?? ''];
    if (taint === undefined) {
      this.#troubles.delete(name);
      this.#line.leave(name);
      return;
    }
    const isTainted = (node.spec?.taints ?? []).some(
      ({ key, effect }) => key === taint && effect === 'NoExecute',
    );
    const known = this.#troubles.get(name);
    const isSame = known?.taint === taint;
    // A taint that is taken away again gives its pods a fresh start.
    const tolerateFrom = isTainted && isSame ? (known.tolerateFrom ?? at) : isTainted ? at : undefined;
    this.#troubles.set(name, { taint, since: isSame ? known.since : at, tolerateFrom });
    if (isTainted) this.#line.leave(name);
    else this.#line.enter(node);
  }

  #podStored(at: number, before: Pod | undefined, after: Pod | undefined): void {
    const { metadata, spec } = (after ?? before) as Pod;
    const { uid = '' } = metadata;
    const node = spec?.nodeName;
    if (node === undefined || node === '') return;
    const stays = this.#stays.get(node) ?? new Map<string, Stay>();
    this.#stays.set(node, stays);
    if (after && isStaying(after)) {
      stays.set(uid, { pod: after, boundAt: stays.get(uid)?.boundAt ?? at });
      if (!this.#nodes.has(node) && !this.#missing.has(node)) this.#missing.set(node, at);
    } else stays.delete(uid);
    if (stays.size === 0) {
      this.#stays.delete(node);
      this.#missing.delete(node);
    }
  }

  #lookAtPods(at: number, node: string, { taint, tolerateFrom = at, since }: Trouble): void {
    for (const { pod, boundAt } of this.#stays.get(node)?.values() ?? []) {
      const { tolerations = [] } = pod.spec ?? {};
      const tolerated = toleratedMicros(tolerations, [{ key: taint, effect: 'NoExecute' }]) ?? 0;
      const from = Math.max(tolerateFrom, boundAt, this.#wholeSince ?? at);
      const due = Math.max(from + tolerated, this.#planned.dueAt(node, pod, boundAt) ?? 0);
      if (at <= due + LOOK + this.#settings.slack) continue;
      this.#report(
        at,
        node,
        pod,
        `which has been ${taint.replace(/.*\//, '')} for ${inSeconds(at - since)}; it tolerates that for ` +
          `${inSeconds(tolerated)}, from ${inSeconds(from)} on at the latest`,
      );
    }
  }

  #lookAtOrphans(at: number, node: string, since: number): void {
    const from = Math.max(since, this.#wholeSince ?? at);
    for (const { pod, boundAt } of this.#stays.get(node)?.values() ?? []) {
      if (at - Math.max(from, boundAt) <= ORPHANED + this.#settings.slack) continue;
      this.#report(at, node, pod, `which has not been there for ${inSeconds(at - since)}`);
    }
  }

  #report(at: number, node: string, { metadata }: Pod, why: string): void {
    const { namespace = '', name = '', uid = '' } = metadata;
    // Said once.
    this.#stays.get(node)?.delete(uid);
    this.#settings.report(at, `pod ${namespace}/${name} is still on ${node}, ${why}`);
  }
}

const isCountedAlike = (a: Node, b: Node): boolean =>
  readyStatusOf(a) === readyStatusOf(b) && zoneOf(a) === zoneOf(b);

/** Bound, not deleted, and not ended anyway. */
const isStaying = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
