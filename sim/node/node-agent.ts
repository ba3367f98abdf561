/**
 * A node agent: one actor for each node, with a clock of its own. It registers its node, keeps a lease, reports the
 * node's status, and answers on its own endpoint. What it knows of the cluster it knows over the network.
 *
 * It refuses to know who reads its reports, and when they are late. The machine below it survives its crashes.
 * Specification: "Node", "Lease".
 */
import type { Release } from '../api/release/release.ts';
import type { Actor } from '../engine/actor.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { AgentLife } from './agent-life.ts';
import type { AgentAccessSettings } from './endpoint/agent-access.ts';
import { agentActorOf } from './endpoint/agent-port.ts';
import { checkSettings } from './eviction/thresholds.ts';
import { Machine } from './machine/machine.ts';
import { MachineIdentity } from './machine/machine-identity.ts';
import type { MachineIds, NodeTemplate } from './node-template.ts';
import { bytesOf } from './pods/container-limits.ts';
import { SharedVolumes } from './volumes/volume-places.ts';
import { writeManifest } from './pods/static-manifests.ts';

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
  /** Those that are on no node; default: nobody else's. */
  readonly volumes?: SharedVolumes;
  /** Several agents may claim to be one node; then their actors need names of their own. Default: `node/<name>`, where API servers look for it. */
  readonly actorName?: string;
  /** The gate `ContainerCheckpoint`; default on. */
  readonly servesCheckpoints?: (release: Release) => boolean;
}

export class NodeAgent {
  readonly actor: Actor;
  readonly machine: Machine;
  readonly volumes: SharedVolumes;
  #options: NodeAgentOptions;
  readonly #identity = new MachineIdentity();
  /** The first was there before the agent. */
  #image = 1;

  /** Starts with the next step of the simulation. */
  constructor(simulation: Simulation, options: NodeAgentOptions) {
    this.#options = options;
    this.volumes = options.volumes ?? new SharedVolumes();
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

  /** For its next life: another version of the agent is installed. */
  reconfigure({ release }: Pick<NodeAgentOptions, 'release'>): void {
    this.#options = { ...this.#options, release };
  }

  #run(context: Context): Process<void> {
    const facts = { ids: this.#identify(context), version: this.#options.release.componentVersion };
    const { volumes } = this;
    return new AgentLife({ ...this.#options, volumes, context, machine: this.machine, facts }).run();
  }

  /** A machine that has a new image has the manifests of its template again. */
  #identify(context: Context): MachineIds {
    const { imageCount } = this.machine;
    if (imageCount !== this.#image) setUp(this.machine, this.#options.template, this.#options.release);
    this.#image = imageCount;
    return this.#identity.of(context, this.machine);
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
