/**
 * What becomes of a pod that fits nowhere: whether others of less priority should leave for it, and where. The victims are
 * marked and deleted with their grace; the pod is promised the node and waits. Kubernetes 1.31.
 */
import { disruptionTarget } from '../../api/pod/disruption-target.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { type CallFailure, isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ChoiceSite } from '../../engine/choices.ts';
import type { Process } from '../../engine/process.ts';
import type { EventSeriesRecorder } from '../../client/event-series-recorder.ts';
import { priorityOf } from '../cache/pod-facts.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { type Diagnosis, fitErrorText } from '../framework/fit-error.ts';
import type { Candidate, SchedulingWorld } from '../framework/plugin.ts';
import { Filters } from '../framework/profile.ts';
import { type Rejection, type RejectionCode, unresolvable } from '../framework/rejection.ts';
import { withCondition } from '../pod-condition.ts';
import type { Nominations } from '../queue/nominations.ts';
import { leastHarm } from './pick-candidate.ts';
import { type Victims, victimsOn } from './victims.ts';

const { pods } = BUILTIN_HANDLES;
const BY_SCHEDULER = 'PreemptionByScheduler';
const FEWEST_CANDIDATES = 100;
const CANDIDATES_PERCENTAGE = 10;

export interface PreemptionParts {
  readonly client: ApiClient;
  readonly world: SchedulingWorld;
  readonly nominations: Nominations;
  readonly events: EventSeriesRecorder;
  /** At which node the search begins. */
  readonly starts: ChoiceSite;
}

export interface PreemptionOutcome {
  /** Of what came of it, for the sentence that tells why the pod does not fit; empty after a success. */
  readonly message: string;
  /** The node that the pod is promised; empty: none any more; undefined: as before. */
  readonly nominated?: string;
}

/** A search that found no victims. */
const NO_FILTERS = new Filters([], undefined, []);

export class Preemption {
  readonly #parts: PreemptionParts;

  constructor(parts: PreemptionParts) {
    this.#parts = parts;
  }

  *preempt(candidate: Candidate, diagnosis: Diagnosis, filters = NO_FILTERS): Process<PreemptionOutcome> {
    const refusal = this.#refusal(candidate, diagnosis);
    if (refusal !== undefined) return { message: `preemption: ${refusal}` };
    const { found, rejections, isHopeless } = this.#search(candidate, diagnosis, filters);
    if (isHopeless && candidate.pod.status?.nominatedNodeName) yield* this.#withdraw(candidate.pod);
    if (found.length === 0) {
      const text = fitErrorText({ ...diagnosis, ofPod: '', rejections });
      return { message: `preemption: ${text}`, nominated: '' };
    }
    const best = leastHarm(found);
    if (!best) return { message: 'preemption: no candidate node for preemption' };
    const failure = yield* this.#clear(candidate, best);
    if (failure) return { message: `preemption: ${failure.message}` };
    return { message: '', nominated: best.node.name };
  }

  /** Why the pod may not preempt anybody now. */
  #refusal({ pod }: Candidate, diagnosis: Diagnosis): string | undefined {
    if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
    const nominated = pod.status?.nominatedNodeName;
    if (!nominated || codeOf(diagnosis, nominated) === 'UnschedulableAndUnresolvable') return undefined;
    const node = this.#parts.world.cache.node(nominated);
    const priority = priorityOf(pod);
    for (const { pod: other } of node?.pods.values() ?? [])
      if (priorityOf(other) < priority && isLeavingForAnother(other))
        return 'not eligible due to a terminating pod on the nominated node.';
    return undefined;
  }

  #search(candidate: Candidate, diagnosis: Diagnosis, filters: Filters): Search {
    const { world, nominations, starts } = this.#parts;
    const rejections = new Map<string, Rejection>();
    const helpful: NodeInfo[] = [];
    for (const node of world.cache.nodes) {
      if (codeOf(diagnosis, node.name) === 'Unschedulable') helpful.push(node);
      else rejections.set(node.name, NOT_HELPFUL);
    }
    if (helpful.length === 0) return { found: [], rejections, isHopeless: true };
    const budgets = world.listers.budgets.list();
    const wanted = Math.min(
      helpful.length,
      Math.max(FEWEST_CANDIDATES, Math.trunc((helpful.length * CANDIDATES_PERCENTAGE) / 100)),
    );
    const offset = starts.int(0, helpful.length - 1);
    const [harmless, harmful]: [Victims[], Victims[]] = [[], []];
    for (let step = 0; step < helpful.length; step++) {
      const node = helpful[(offset + step) % helpful.length];
      if (!node || (harmless.length > 0 && harmless.length + harmful.length >= wanted)) break;
      const trial = victimsOn(candidate, node, { filters, nominations, budgets });
      if (trial.kind === 'in-vain') rejections.set(node.name, trial.rejection);
      else (trial.victims.violations === 0 ? harmless : harmful).push(trial.victims);
    }
    return { found: [...harmless, ...harmful], rejections };
  }

  /** The victims are told to go; whoever was promised the node and matters less is not promised it any more. */
  *#clear(candidate: Candidate, { node, pods: victims }: Victims): Process<CallFailure | undefined> {
    const { client, nominations } = this.#parts;
    const outcomes = yield* client.context.all(victims.map((victim) => this.#evict(candidate, victim, node)));
    const failure = outcomes.find((outcome) => outcome !== undefined);
    if (failure) return failure;
    const priority = priorityOf(candidate.pod);
    // They count as promised until the API says otherwise: what cannot be withdrawn stays.
    for (const other of [...nominations.of(node.name)])
      if (priorityOf(other) < priority) yield* this.#withdraw(other);
    return undefined;
  }

  *#evict({ pod }: Candidate, victim: Pod, node: NodeInfo): Process<CallFailure | undefined> {
    const { client, events } = this.#parts;
    const { name = '', namespace = '' } = victim.metadata;
    const key = { name, namespace };
    const schedulerName = pod.spec?.schedulerName ?? '';
    const cause = {
      reason: BY_SCHEDULER,
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    };
    const condition = disruptionTarget(victim, cause, formatTime(client.context.wallMs()));
    try {
      if (!isMarked(victim)) {
        const body = { status: withCondition(victim, condition) };
        yield* client.patch(pods, key, { type: 'strategic', body }, { subresource: 'status' });
      }
      yield* client.delete(pods, key);
    } catch (error) {
      // Who is gone is no victim either: the pod is tried again.
      if (!isCallFailure(error)) throw error;
      return error;
    }
    events.record(schedulerName, withKind(victim), {
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${pod.metadata.uid ?? ''} on node ${node.name}`,
      related: withKind(pod),
    });
    return undefined;
  }

  *#withdraw({ metadata: { name = '', namespace = '' } }: Pod): Process<void> {
    const body = { status: { nominatedNodeName: null } };
    try {
      yield* this.#parts.client.patch(
        pods,
        { name, namespace },
        { type: 'strategic', body },
        { subresource: 'status' },
      );
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }
}

interface Search {
  readonly found: readonly Victims[];
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** Nobody's leaving would help on any node. */
  readonly isHopeless?: true;
}

const NOT_HELPFUL = unresolvable('DefaultPreemption', 'Preemption is not helpful for scheduling');

const codeOf = ({ rejections, otherwise }: Diagnosis, node: string): RejectionCode =>
  rejections.get(node)?.code ?? otherwise;

const isMarked = ({ status }: Pod): boolean =>
  status?.conditions?.some(
    ({ type, status: is, reason }) => type === 'DisruptionTarget' && is === 'True' && reason === BY_SCHEDULER,
  ) ?? false;

const isLeavingForAnother = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp !== undefined && isMarked(pod);

/** Items of lists do not say what they are. */
export const withKind = (pod: Pod): Pod => ({ ...pod, apiVersion: 'v1', kind: 'Pod' });
