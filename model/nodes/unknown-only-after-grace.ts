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
  SECOND,
  type NodeRule,
  type Observation,
  type ObservationOf,
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
  /** What each controller has heard in its present life, by node. */
  readonly #heardBy = new Map<string, Map<string, Heard>>();
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
        this.#heardBy.delete(observation.actor);
        return;
      case 'objects-heard':
        for (const object of observation.objects)
          hear(this.#heardOf(observation.by), object, observation.clock);
        return;
      case 'request-sent':
        this.#sent(observation);
        return;
      default:
    }
  }

  look(): void {
    // Silence alone breaks nothing: only a declaration that comes too early does.
  }

  #heardOf(controller: string): Map<string, Heard> {
    const known = this.#heardBy.get(controller) ?? new Map<string, Heard>();
    this.#heardBy.set(controller, known);
    return known;
  }

  #sent({ at, by, clock, method, path, body }: ObservationOf<'request-sent'>): void {
    const name = method === 'GET' ? undefined : STATUS_PATH.exec(path)?.[1];
    if (name === undefined || readyOf(body)?.status !== 'Unknown' || at < this.#judgesFrom) return;
    const heard = this.#heardOf(by).get(name);
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

type HeardByNode = Map<string, Heard>;

function hear(heard: HeardByNode, object: ApiObject, clock: number): void {
  const { kind, metadata } = object;
  if (kind === 'Node') hearStatus(heard, metadata.name ?? '', readyOf(object), clock);
  else if (kind === 'Lease' && metadata.namespace === 'kube-node-lease')
    hearLease(heard, metadata.name ?? '', (object as Lease).spec?.renewTime, clock);
}

function hearStatus(heard: HeardByNode, name: string, ready: NodeCondition | undefined, clock: number): void {
  const known = heard.get(name);
  const isNews =
    (ready === undefined) !== (known?.ready === undefined) ||
    ready?.lastHeartbeatTime !== known?.ready?.lastHeartbeatTime;
  const news = { at: clock, what: 'its status was reported' };
  heard.set(name, { at: clock, ...known, ...(isNews && news), ready });
}

function hearLease(heard: HeardByNode, name: string, renewTime: string | undefined, clock: number): void {
  if (renewTime === undefined) return;
  const known = heard.get(name);
  if (known?.renewTime !== undefined && renewTime <= known.renewTime) return;
  heard.set(name, { ...known, at: clock, what: 'its lease was renewed', renewTime });
}

function readyOf(body: unknown): NodeCondition | undefined {
  return (body as Partial<Node> | undefined)?.status?.conditions?.find(({ type }) => type === 'Ready');
}
