/**
 * A node is declared Unknown only after it has been silent for the whole grace period, by the clock of the controller
 * that declares it, counted from the last heartbeat that reached that controller. A heartbeat is a lease that was
 * renewed, or a status with a new heartbeat time. Specification: "Node", "Lease", "Limits".
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  LIFECYCLE_CONTROLLER,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
} from './observation.ts';

const GRACE = 40 * SECOND;
/** Of a node that has never said how it is. */
const STARTUP_GRACE = 60 * SECOND;
/** The time of creation, from which such a node is counted, is kept in whole seconds. */
const TIMESTAMP = SECOND;
const STATUS_PATH = /^\/api\/v1\/nodes\/([^/]+)\/status$/;

interface Heard {
  /** By the controller's clock. */
  readonly at: number;
  /** Undefined: nothing but that the node is there. */
  readonly what?: string;
  readonly ready?: NodeCondition | undefined;
  readonly renewTime?: string | undefined;
}

export class UnknownOnlyAfterGrace implements NodeRule {
  readonly #settings: RuleSettings;
  /** What the controller has heard in its present life, by node. */
  readonly #heard = new Map<string, Heard>();
  /** When nodes were created, in true time. */
  readonly #born = new Map<string, number>();
  /** What is decided while API servers do not answer is sent when they do again, however late. */
  #judgesFrom = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'control-plane':
        this.#judgesFrom = observation.isWhole ? observation.at + CONVALESCENCE : Infinity;
        return;
      case 'stored':
        if (observation.after?.kind === 'Node' && !observation.before)
          this.#born.set(observation.after.metadata.name ?? '', observation.at);
        return;
      case 'crashed':
        if (observation.actor === LIFECYCLE_CONTROLLER) this.#heard.clear();
        return;
      case 'objects-heard':
        if (observation.by === LIFECYCLE_CONTROLLER)
          for (const object of observation.objects) this.#hear(object, observation.clock);
        return;
      case 'request-sent':
        if (observation.by === LIFECYCLE_CONTROLLER) this.#sent(observation);
        return;
      default:
    }
  }

  look(): void {
    // Silence alone breaks nothing: only a declaration that comes too early does.
  }

  #hear(object: ApiObject, clock: number): void {
    const { kind, metadata } = object;
    if (kind === 'Node') this.#hearStatus(metadata.name ?? '', readyOf(object), clock);
    else if (kind === 'Lease' && metadata.namespace === 'kube-node-lease')
      this.#hearLease(metadata.name ?? '', (object as Lease).spec?.renewTime, clock);
  }

  #hearStatus(name: string, ready: NodeCondition | undefined, clock: number): void {
    const known = this.#heard.get(name);
    const isNews =
      (ready === undefined) !== (known?.ready === undefined) ||
      ready?.lastHeartbeatTime !== known?.ready?.lastHeartbeatTime;
    const news = { at: clock, what: 'its status was reported' };
    this.#heard.set(name, { at: clock, ...known, ...(isNews && news), ready });
  }

  #hearLease(name: string, renewTime: string | undefined, clock: number): void {
    if (renewTime === undefined) return;
    const known = this.#heard.get(name);
    if (known?.renewTime !== undefined && renewTime <= known.renewTime) return;
    this.#heard.set(name, { ...known, at: clock, what: 'its lease was renewed', renewTime });
  }

  #sent({ at, clock, method, path, body }: Extract<Observation, { kind: 'request-sent' }>): void {
    const name = method === 'GET' ? undefined : STATUS_PATH.exec(path)?.[1];
    if (name === undefined || readyOf(body)?.status !== 'Unknown' || at < this.#judgesFrom) return;
    const heard = this.#heard.get(name);
    if (!heard || heard.ready?.status === 'Unknown') return;
    const grace = heard.ready ? GRACE : STARTUP_GRACE;
    const silence =
      heard.what === undefined ? at - (this.#born.get(name) ?? at) + TIMESTAMP : clock - heard.at;
    if (silence > grace) return;
    const since =
      heard.what === undefined
        ? 'it has said nothing since its creation'
        : `at ${inSeconds(heard.at)} by the controller's clock ${heard.what}`;
    this.#settings.report(
      at,
      `${name} was declared Unknown after ${inSeconds(silence)} of silence, not more than the grace of ` +
        `${inSeconds(grace)}: ${since}`,
    );
  }
}

function readyOf(body: unknown): NodeCondition | undefined {
  return (body as Partial<Node> | undefined)?.status?.conditions?.find(({ type }) => type === 'Ready');
}
