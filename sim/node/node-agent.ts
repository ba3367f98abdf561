/**
 * A node agent: one actor for each node, with a clock of its own. It registers its node, keeps a lease, reports the
 * node's status, and answers on its own endpoint. What it knows of the cluster it knows over the network.
 *
 * It refuses to know who reads its reports, and when they are late. The machine below it survives its crashes.
 * Specification: "Node", "Lease".
 */
import type { OwnerReference } from '../api/object.ts';
import type { Release } from '../api/release/release.ts';
import { ApiClient } from '../client/api-client.ts';
import { isCallFailure } from '../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import { type EventFacts, EventRecorder } from '../client/event-recorder.ts';
import { Informer } from '../client/informer/informer.ts';
import type { Actor } from '../engine/actor.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { serveCalls } from '../engine/request-reply.ts';
import type { Simulation } from '../engine/simulation.ts';
import { seconds } from '../engine/time.ts';
import { AgentEndpoint } from './endpoint/agent-endpoint.ts';
import { AgentAccess, type AgentAccessSettings } from './endpoint/agent-access.ts';
import { AGENT_PORT, AGENT_STREAM_PORT, agentActorOf } from './endpoint/agent-port.ts';
import { serveStream } from './endpoint/agent-stream.ts';
import { AgentView } from './endpoint/agent-view.ts';
import { EvictionLoop } from './eviction/eviction-loop.ts';
import { checkSettings } from './eviction/thresholds.ts';
import { leaseLoop, NODE_LEASE_NAMESPACE } from './heartbeat/lease-loop.ts';
import { Machine } from './machine/machine.ts';
import { capacityOf, type MachineIds, machineStatusOf, type NodeTemplate } from './node-template.ts';
import { bytesOf } from './pods/container-limits.ts';
import { MachineIdentity } from './machine/machine-identity.ts';
import { NodeEvents } from './heartbeat/node-events.ts';
import { PodManager } from './pods/pod-manager.ts';
import { writeManifest } from './pods/static-manifests.ts';
import { register } from './heartbeat/registration.ts';
import { removeUnfinished } from './runtime/checkpoint.ts';
import { statusLoop } from './heartbeat/status-loop.ts';

const { nodes } = BUILTIN_HANDLES;
const LEASE_SECONDS = 40;
const DEFAULT_ROOT_DIRECTORY = '/var/lib/kubelet';
/** A heartbeat that takes longer is given up: the next one is due. */
const HEARTBEAT_TIMEOUT = seconds(10);

/** What all agents of a cluster have in common. */
export interface AgentSettings extends AgentAccessSettings {
  /** `--root-dir`, where the template says nothing else; default `/var/lib/kubelet`. */
  readonly rootDirectory?: string;
  /** Of which they are; default: that of the cluster. */
  readonly release?: Release;
}

export interface NodeAgentOptions extends AgentSettings {
  readonly release: Release;
  readonly template: NodeTemplate;
  /** Names of the API servers. */
  readonly servers: readonly string[];
  /** Several agents may claim to be one node; then their actors need names of their own. Default: `node/<name>`, where API servers look for it. */
  readonly actorName?: string;
  /** The gate `ContainerCheckpoint`; default on. */
  readonly servesCheckpoints?: boolean;
}

export class NodeAgent {
  readonly actor: Actor;
  readonly machine: Machine;
  readonly #options: NodeAgentOptions;
  readonly #identity = new MachineIdentity();
  /** The first was there before the agent. */
  #image = 1;

  /** Starts with the next step of the simulation. */
  constructor(simulation: Simulation, options: NodeAgentOptions) {
    this.#options = options;
    const { template, actorName = agentActorOf(template.name) } = options;
    this.machine = machineOf(template, options.release);
    this.actor = simulation.actor(actorName, {
      start: (context) => this.#run(context),
      ...(template.clock && { clock: template.clock }),
    });
  }

  get name(): string {
    return this.#options.template.name;
  }

  get zone(): string | undefined {
    return this.#options.template.zone;
  }

  get template(): NodeTemplate {
    return this.#options.template;
  }

  *#run(context: Context): Process<void> {
    const { template, servers, release } = this.#options;
    const { name } = template;
    const user = { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
    const client = new ApiClient({
      context,
      servers,
      user,
      userAgent: 'kubelet',
      timeout: HEARTBEAT_TIMEOUT,
    });
    const changed = context.signal();
    let manager: PodManager | undefined;
    const { rootDirectory = DEFAULT_ROOT_DIRECTORY, servesCheckpoints = true } = this.#options;
    const root = template.rootDirectory ?? rootDirectory;
    const view = new AgentView({
      context,
      nodeName: name,
      machine: this.machine,
      release,
      manager: () => manager,
      capacity: capacityOf(template),
    });
    this.machine.onChange = () => {
      view.noteChange();
      changed.fire();
    };
    const endpoint = new AgentEndpoint({
      view,
      access: new AgentAccess(client, name, this.#options),
      rootDirectory: root,
      servesCheckpoints,
    });
    removeUnfinished(this.machine.disk, root);
    serveCalls(context, AGENT_PORT, (call) => endpoint.answer(call));
    context.listen(AGENT_STREAM_PORT, (connection) =>
      serveStream(context, connection, (call) => endpoint.open(call)),
    );
    const facts = { ids: this.#identify(context), version: release.componentVersion };
    const heartbeat = leaseLoop({
      client,
      name,
      namespace: NODE_LEASE_NAMESPACE,
      holder: name,
      durationSeconds: LEASE_SECONDS,
      owner: () => ownerOf(client, name),
    });
    context.spawn('lease', heartbeat);
    const informer = new Informer({ client, handle: nodes, fieldSelector: `metadata.name=${name}` });
    const recorder = new EventRecorder(client, 'kubelet', name);
    const tellOfNode = (facts: EventFacts): void =>
      recorder.recordFor({ kind: 'Node', name, uid: name }, facts);
    const events = new NodeEvents(name, tellOfNode);
    const nodeChanged = context.signal();
    manager = new PodManager({
      client,
      nodeName: name,
      hostIP: template.internalIP ?? '',
      podCIDR: template.podCIDR,
      machine: this.machine,
      types: release.catalog.types,
      recorder,
      node: () => informer.store.get(name),
    });
    manager.startStatic();
    const eviction = new EvictionLoop({
      context,
      machine: this.machine,
      settings: template.eviction ?? {},
      workers: manager.workers.bind(manager),
      tellOfNode,
    });
    context.spawn('eviction', eviction.run());
    yield* register({ client, template, facts, machine: this.machine });
    informer.addHandler({
      added: (node) => {
        events.see(node);
        changed.fire();
      },
      changed: (node) => {
        events.see(node);
        nodeChanged.fire();
      },
    });
    informer.start();
    manager.start();
    yield* statusLoop({
      client,
      name,
      machine: this.machine,
      machineStatus: machineStatusOf(template, facts),
      seen: () => informer.store.get(name),
      changed,
      nodeChanged,
      events,
    });
  }

  /** A machine that has a new image has the manifests of its template again. */
  #identify(context: Context): MachineIds {
    const { imageCount } = this.machine;
    if (imageCount !== this.#image) setUp(this.machine, this.#options.template, this.#options.release);
    this.#image = imageCount;
    return this.#identity.of(context, this.machine);
  }
}

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

/** @throws RangeError when the template cannot be meant so */
function machineOf(template: NodeTemplate, release: Release): Machine {
  const memoryBytes = bytesOf(template.capacity?.['memory']);
  const diskBytes = bytesOf(template.capacity?.['ephemeral-storage']);
  checkSettings(template.eviction ?? {});
  const machine = new Machine({
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(diskBytes !== undefined && { diskBytes }),
  });
  setUp(machine, template, release);
  return machine;
}

/** What a machine image brings along. */
function setUp(machine: Machine, { staticPods = [], images = [] }: NodeTemplate, { catalog }: Release): void {
  for (const { names, sizeBytes } of images)
    for (const name of names) machine.runtime.images.add(name, sizeBytes);
  for (const pod of staticPods) writeManifest(machine.disk, pod, catalog.types);
}
