/**
 * One life of a node agent, from its start to its crash: it serves its endpoint, keeps its lease, runs the pods that it
 * knows of from its disk, and, once its node is registered, follows the API and reports. What outlasts it is the machine.
 */
import type { OwnerReference } from '../api/object.ts';
import { isReleasedBy, type Release } from '../api/release/release.ts';
import type { Node } from '../api/types/core-v1.ts';
import { ApiClient } from '../client/api-client.ts';
import { isCallFailure } from '../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import type { EventFacts } from '../client/event-facts.ts';
import { EventRecorder } from '../client/event-recorder.ts';
import { Informer } from '../client/informer/informer.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { serveCalls } from '../engine/request-reply.ts';
import type { Signal } from '../engine/signal.ts';
import { seconds } from '../engine/time.ts';
import { AgentAccess, type AgentAccessSettings } from './endpoint/agent-access.ts';
import { AgentEndpoint } from './endpoint/agent-endpoint.ts';
import { AGENT_PORT, AGENT_STREAM_PORT } from './endpoint/agent-port.ts';
import { POD_PORT } from './endpoint/pod-port.ts';
import { podAnswer } from './endpoint/pod-traffic.ts';
import { serveStream } from './endpoint/agent-stream.ts';
import { AgentView } from './endpoint/agent-view.ts';
import { EvictionLoop } from './eviction/eviction-loop.ts';
import { leaseLoop, NODE_LEASE_NAMESPACE } from './heartbeat/lease-loop.ts';
import { NodeEvents } from './heartbeat/node-events.ts';
import { register } from './heartbeat/registration.ts';
import { statusLoop } from './heartbeat/status-loop.ts';
import type { Machine } from './machine/machine.ts';
import { capacityOf, type MachineFacts, machineStatusOf, type NodeTemplate } from './node-template.ts';
import { NodeNetwork } from './network/node-network.ts';
import { type SharedVolumes, VolumePlaces } from './volumes/volume-places.ts';
import { PodManager } from './pods/pod-manager.ts';
import { removeUnfinished } from './runtime/checkpoint.ts';

const { nodes } = BUILTIN_HANDLES;
const LEASE_SECONDS = 40;
/** Before, containers were not ready for an agent that began anew until their probes said so again. */
const FINDINGS_KEPT_SINCE = '1.35';
const DEFAULT_ROOT_DIRECTORY = '/var/lib/kubelet';
/** A heartbeat that takes longer is given up: the next one is due. */
const HEARTBEAT_TIMEOUT = seconds(10);

export interface AgentLifeOptions extends AgentAccessSettings {
  readonly context: Context;
  readonly machine: Machine;
  readonly facts: MachineFacts;
  readonly release: Release;
  readonly template: NodeTemplate;
  readonly servers: readonly string[];
  readonly volumes: SharedVolumes;
  readonly rootDirectory?: string;
  readonly servesCheckpoints?: (release: Release) => boolean;
}

export class AgentLife {
  readonly #options: AgentLifeOptions;
  readonly #name: string;
  readonly #context: Context;
  readonly #machine: Machine;
  readonly #client: ApiClient;
  readonly #recorder: EventRecorder;
  readonly #events: NodeEvents;
  /** Of the agent's own Node. */
  readonly #informer: Informer<Node>;
  readonly #network: NodeNetwork;
  readonly #manager: PodManager;
  /** Something has changed that the agent reports. */
  readonly #changed: Signal;
  /** The agent has seen a change of its Node, whoever made it. */
  readonly #nodeSeen: Signal;
  /** The Node has changed, and not by the agent's last report. */
  readonly #nodeChanged: Signal;
  /** The agent has ceased to follow its Node. */
  readonly #lost: Signal;
  /** Version of the Node that the agent's last report has made, and that says what it should. */
  #reported = '';

  constructor(options: AgentLifeOptions) {
    this.#options = options;
    const { context, machine, template, servers, release, volumes } = options;
    const { name } = template;
    this.#name = name;
    this.#context = context;
    this.#machine = machine;
    const user = { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
    const client = new ApiClient({
      context,
      servers,
      user,
      userAgent: 'kubelet',
      timeout: HEARTBEAT_TIMEOUT,
    });
    this.#client = client;
    this.#recorder = new EventRecorder(client, 'kubelet', name);
    this.#events = new NodeEvents(name, this.#tellOfNode);
    this.#lost = context.signal();
    this.#informer = new Informer({
      client,
      handle: nodes,
      fieldSelector: `metadata.name=${name}`,
      watchEnded: () => this.#lost.fire(),
    });
    this.#nodeSeen = context.signal();
    this.#network = new NodeNetwork(client);
    this.#manager = new PodManager({
      client,
      nodeName: name,
      hostIP: template.internalIP ?? '',
      podCIDR: template.podCIDR,
      machine,
      places: new VolumePlaces({ disk: machine.disk, shared: volumes, rootDirectory: this.#root }),
      types: release.catalog.types,
      keepsFindings: isReleasedBy(release, FINDINGS_KEPT_SINCE),
      recorder: this.#recorder,
      network: this.#network,
      node: this.#node,
      nodeSeen: this.#nodeSeen,
    });
    this.#changed = context.signal();
    this.#nodeChanged = context.signal();
  }

  get #root(): string {
    const { template, rootDirectory } = this.#options;
    return template.rootDirectory ?? rootDirectory ?? DEFAULT_ROOT_DIRECTORY;
  }

  /** Without end. */
  *run(): Process<void> {
    const { template, facts } = this.#options;
    this.#serve();
    this.#tellOfNode({ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
    this.#tellOfNode(ENFORCED);
    this.#keepLease();
    this.#manager.startStatic();
    this.#relievePressure();
    yield* register({ client: this.#client, template, facts, machine: this.#machine });
    this.#followNode();
    this.#manager.start();
    yield* this.#report();
  }

  /** Answers on the agent's own endpoint. What a life before has left half done on the disk goes first. */
  #serve(): void {
    const { release, servesCheckpoints = () => true, template } = this.#options;
    const root = this.#root;
    removeUnfinished(this.#machine.disk, root);
    const view = new AgentView({
      context: this.#context,
      nodeName: this.#name,
      machine: this.#machine,
      release,
      network: this.#network,
      manager: () => this.#manager,
      capacity: capacityOf(template),
    });
    const noteChange = (): void => {
      view.noteChange();
      this.#changed.fire();
    };
    this.#machine.onChange = noteChange;
    const access = new AgentAccess(this.#client, this.#name, this.#options);
    const endpoint = new AgentEndpoint({
      view,
      access,
      rootDirectory: root,
      servesCheckpoints: servesCheckpoints(release),
    });
    serveCalls(this.#context, AGENT_PORT, (call) => endpoint.answer(call));
    serveCalls(this.#context, POD_PORT, (call) => podAnswer(view, call));
    this.#context.listen(AGENT_STREAM_PORT, (connection) =>
      serveStream(this.#context, connection, (call) => endpoint.open(call)),
    );
  }

  #keepLease(): void {
    const heartbeat = leaseLoop({
      client: this.#client,
      name: this.#name,
      namespace: NODE_LEASE_NAMESPACE,
      holder: this.#name,
      durationSeconds: LEASE_SECONDS,
      owner: () => ownerOf(this.#client, this.#name),
    });
    this.#context.spawn('lease', heartbeat);
  }

  /** Gives up pods when something is short. */
  #relievePressure(): void {
    const eviction = new EvictionLoop({
      context: this.#context,
      machine: this.#machine,
      settings: this.#options.template.eviction ?? {},
      workers: this.#manager.workers.bind(this.#manager),
      tellOfNode: this.#tellOfNode,
    });
    this.#context.spawn('eviction', eviction.run());
  }

  /** Hears of what others do to the Node. */
  #followNode(): void {
    this.#informer.addHandler({
      added: (node) => {
        this.#events.see(node);
        this.#nodeSeen.fire();
        this.#changed.fire();
      },
      changed: (node) => {
        this.#events.see(node);
        this.#nodeSeen.fire();
        if (node.metadata.resourceVersion !== this.#reported) this.#nodeChanged.fire();
      },
    });
    this.#informer.start();
  }

  #report(): Process<void> {
    const { template, facts } = this.#options;
    return statusLoop({
      client: this.#client,
      name: this.#name,
      machine: this.#machine,
      machineStatus: machineStatusOf(template, facts),
      seen: this.#node,
      follows: () => this.#informer.isFollowing,
      lost: this.#lost,
      changed: this.#changed,
      nodeChanged: this.#nodeChanged,
      events: this.#events,
      reported: ({ metadata }) => void (this.#reported = metadata.resourceVersion ?? ''),
    });
  }

  readonly #node = (): Node | undefined => this.#informer.store.get(this.#name);

  readonly #tellOfNode = (facts: EventFacts): void =>
    this.#recorder.recordFor({ kind: 'Node', name: this.#name, uid: this.#name }, facts);
}

const ENFORCED: EventFacts = {
  type: 'Normal',
  reason: 'NodeAllocatableEnforced',
  message: 'Updated Node Allocatable limit across pods',
};

/** The Node as owner of its lease; undefined while it cannot be read. */
function* ownerOf(client: ApiClient, name: string): Process<OwnerReference | undefined> {
  try {
    const node = yield* client.get(nodes, name);
    return { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid ?? '' };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return undefined;
  }
}
