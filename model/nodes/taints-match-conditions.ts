/**
 * Once things have settled, the taints of a node are those that its conditions and its spec ask for: one of effect
 * NoSchedule for each condition that is not well and for a cordon, and none besides; of effect NoExecute none that says
 * something else than the node's readiness. Taints of other keys are nobody's business. Specification: "Taints".
 */
import type { Node, Taint } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
} from './observation.ts';
import { readyStatusOf } from './zones.ts';

const PREFIX = 'node.kubernetes.io/';
/** Taint, condition, and the status that asks for it. */
const CAUSES = [
  ['not-ready', 'Ready', 'False'],
  ['unreachable', 'Ready', 'Unknown'],
  ['memory-pressure', 'MemoryPressure', 'True'],
  ['disk-pressure', 'DiskPressure', 'True'],
  ['pid-pressure', 'PIDPressure', 'True'],
  ['network-unavailable', 'NetworkUnavailable', 'True'],
] as const;
const KNOWN: ReadonlySet<string> = new Set([...CAUSES.map(([taint]) => taint), 'unschedulable']);
/** A NoExecute taint follows at the controller's next look. */
const SETTLES_WITHIN = 15 * SECOND;

interface Mismatch {
  readonly message: string;
  /** Counted from here. */
  readonly since: number;
}

export class TaintsMatchConditions implements NodeRule {
  readonly #settings: RuleSettings;
  /** What asks for taints, so that a change of it is noticed. */
  readonly #causes = new Map<string, string>();
  readonly #mismatches = new Map<string, Mismatch>();
  #isWhole = true;
  #notBefore = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') {
      this.#isWhole = observation.isWhole;
      const since = at + CONVALESCENCE;
      this.#notBefore = since;
      for (const [name, mismatch] of this.#mismatches) this.#mismatches.set(name, { ...mismatch, since });
    } else if (observation.kind === 'stored') {
      const { before, after } = observation;
      if (after?.kind === 'Node') this.#compare(at, after);
      else if (before?.kind === 'Node') this.#forget(before.metadata.name ?? '');
    }
  }

  look(at: number): void {
    if (!this.#isWhole) return;
    for (const [name, { message, since }] of this.#mismatches) {
      if (at - since <= SETTLES_WITHIN + this.#settings.slack) continue;
      this.#mismatches.delete(name);
      this.#settings.report(
        at,
        `${message}, and nothing has changed about ${name} for ${inSeconds(at - since)}`,
      );
    }
  }

  #compare(at: number, node: Node): void {
    const name = node.metadata.name ?? '';
    const causes = causesOf(node);
    const message = mismatchOf(node);
    const old = this.#mismatches.get(name);
    const hasChanged = this.#causes.get(name) !== causes;
    this.#causes.set(name, causes);
    if (message === undefined) this.#mismatches.delete(name);
    else {
      const since = hasChanged ? at : (old?.since ?? at);
      this.#mismatches.set(name, { message, since: Math.max(since, this.#notBefore) });
    }
  }

  #forget(name: string): void {
    this.#causes.delete(name);
    this.#mismatches.delete(name);
  }
}

const statusOf = ({ status }: Node, type: string): string | undefined =>
  status?.conditions?.find((condition) => condition.type === type)?.status;

const causesOf = (node: Node): string =>
  [...CAUSES.map(([, type]) => statusOf(node, type) ?? ''), String(node.spec?.unschedulable === true)].join();

/** What is not as it should be; undefined: all is. */
function mismatchOf(node: Node): string | undefined {
  const name = node.metadata.name ?? '';
  const taints = (node.spec?.taints ?? []).filter(
    ({ key }) => key.startsWith(PREFIX) && KNOWN.has(key.slice(PREFIX.length)),
  );
  const present = namesOf(taints, 'NoSchedule');
  for (const [taint, type, status] of CAUSES) {
    const isWanted = statusOf(node, type) === status;
    if (isWanted && !present.has(taint)) return `${name} has no taint ${taint}, though ${type} is ${status}`;
    if (!isWanted && present.has(taint))
      return `${name} has the taint ${taint}, though ${type} is ${statusOf(node, type) ?? 'absent'}`;
  }
  const isCordoned = node.spec?.unschedulable === true;
  if (isCordoned !== present.has('unschedulable'))
    return `${name} has ${isCordoned ? 'no' : 'the'} taint unschedulable, though it is ${isCordoned ? '' : 'not '}cordoned`;
  return executionMismatch(node, namesOf(taints, 'NoExecute'));
}

/** Whether a node is given up at all depends on its zone: only what must not be there is wrong. */
function executionMismatch(node: Node, present: ReadonlySet<string>): string | undefined {
  const ready = readyStatusOf(node);
  for (const [taint, , status] of CAUSES.slice(0, 2))
    if (present.has(taint) && ready !== status)
      return `${node.metadata.name ?? ''} has the taint ${taint}:NoExecute, though Ready is ${ready ?? 'absent'}`;
  return undefined;
}

const namesOf = (taints: readonly Taint[], effect: string): ReadonlySet<string> =>
  new Set(taints.filter((taint) => taint.effect === effect).map(({ key }) => key.slice(PREFIX.length)));
