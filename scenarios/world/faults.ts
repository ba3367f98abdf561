/** The faults of the language as verbs on a cluster. */
import {
  microseconds,
  type Cluster,
  type Machine,
  type Micros,
  type NodeAgent,
  FeatureGates,
  REFUSALS,
  type RefusalStatus,
  RELEASE_1_31,
  type ServerSettings,
} from '../../sim/index.ts';
import type { Fault } from '../language/scenario-shape.ts';
import { didYouMean } from '../language/suggest.ts';
import { requireRelease } from './require-release.ts';
import { assignments } from './assignments.ts';
import { ScenarioError } from '../language/variables.ts';

/** @throws ScenarioError when there is no such actor, or it is not in a state for this fault. */
export function applyFault(fault: Fault, cluster: Cluster): void {
  try {
    applyToNetwork(fault, cluster);
    applyToLife(fault, cluster);
    applyToApi(fault, cluster);
    applyToMachines(fault, cluster);
  } catch (error) {
    throw scenarioError(error);
  }
}

/**
 * Looks whether a fault that is to come later makes sense now.
 * @throws ScenarioError when it names nobody, or asks the API and cannot come by itself
 */
export function checkFault(fault: Fault, cluster: Cluster): void {
  if (fault.cordon ?? fault.uncordon)
    throw new ScenarioError('a node is cordoned by a request, which cannot be delayed');
  for (const target of Object.values(fault))
    for (const name of actorsIn(target)) requireActors(cluster, name);
}

function applyToNetwork(fault: Fault, cluster: Cluster): void {
  const { faults } = cluster;
  const { partition, heal, flap, steady, hold, release, reset, latency, normalLatency } = fault;
  if (partition) faults.partition(...linkOf(cluster, partition));
  if (heal) faults.heal(...linkOf(cluster, heal));
  if (flap) {
    const [from, link] = linkOf(cluster, flap);
    if (flap.down === 0 || flap.up === 0)
      throw new ScenarioError('what flaps is down for a while and up for a while');
    faults.flap(from, { down: microseconds(flap.down), up: microseconds(flap.up) }, link);
  }
  if (steady) faults.steady(...linkOf(cluster, steady));
  if (hold) faults.hold(...linkOf(cluster, hold));
  if (release) faults.release(...linkOf(cluster, release));
  if (reset) faults.resetConnections(...linkOf(cluster, reset));
  if (latency) {
    const [from, link] = linkOf(cluster, latency);
    faults.setLatency(from, latencyOf(latency), link);
  }
  if (normalLatency) faults.resetLatency(...linkOf(cluster, normalLatency));
}

function applyToLife(
  { crash, restart, pause, resume, jumpClock, driftClock, lagController }: Fault,
  cluster: Cluster,
): void {
  const { faults } = cluster;
  if (crash) faults.crash(requireActors(cluster, crash.actor), { isSilent: crash.silent ?? false });
  if (restart) {
    const actors = faults.actors(requireActors(cluster, restart.actor));
    const [first] = actors;
    if (first && actors.every(({ state }) => state !== 'crashed'))
      throw new ScenarioError(`${first.name} is ${first.state}: only a crashed actor restarts`);
    faults.restart(restart.actor, settingsOf(restart, cluster));
  }
  if (pause) faults.pause(requireActors(cluster, pause.actor));
  if (resume) faults.resume(requireActors(cluster, resume.actor));
  if (jumpClock) {
    const { actor, by, back } = jumpClock;
    faults.jumpClock(requireActors(cluster, actor), microseconds(back ? -by : by));
  }
  if (lagController) {
    const { controller, by } = lagController;
    if (!faults.canHearLate(controller)) throw new ScenarioError(`there is no controller \`${controller}\``);
    faults.lag(controller, microseconds(by));
  }
  if (driftClock) faults.driftClock(requireActors(cluster, driftClock.actor), driftClock.ppm);
}

function applyToApi(
  { cordon, uncordon, lagWatchCache, lagStorageMember, ...fault }: Fault,
  cluster: Cluster,
): void {
  if (cordon) for (const { name } of agentsOf(cluster, cordon.node)) cluster.cordon(name);
  if (uncordon) for (const { name } of agentsOf(cluster, uncordon.node)) cluster.uncordon(name);
  applyToRequests(fault, cluster);
  if (lagWatchCache) cluster.lagWatchCaches(microseconds(lagWatchCache.by), lagWatchCache.server);
  if (lagStorageMember)
    cluster.faults.lagStorageMember(
      requireActor(cluster, lagStorageMember.member),
      microseconds(lagStorageMember.by),
    );
  if (fault.changeStorageLeader)
    cluster.faults.changeStorageLeader(microseconds(fault.changeStorageLeader.takes));
}

function applyToRequests(fault: Fault, cluster: Cluster): void {
  const { faults } = cluster;
  const { failWrites, allowWrites, failRequests, loseAnswers, crashBefore, crashAfter } = fault;
  for (const chosen of Object.values({ ...fault, lagWatchCache: undefined }))
    for (const name of actorsIn(chosen)) requireActors(cluster, name);
  if (failWrites) faults.failWrites({ ...failWrites, status: statusOf(failWrites.status) });
  if (allowWrites && !faults.allowWrites(allowWrites))
    throw new ScenarioError('no `failWrites` before has chosen the same writes');
  if (failRequests) faults.failRequests({ ...failRequests, status: statusOf(failRequests.status) });
  if (loseAnswers) faults.loseAnswers(loseAnswers);
  if (crashBefore) faults.crashBefore(crashBefore);
  if (crashAfter) faults.crashAfter(crashAfter);
  if (fault.allowRequests && !faults.allowRequests(fault.allowRequests))
    throw new ScenarioError('no fault of requests before has chosen the same requests');
  if (fault.endWatches) faults.endWatches(fault.endWatches);
}

const ACTOR_FIELDS = ['from', 'to', 'actor', 'node', 'server', 'crashes', 'member'] as const;

/** Names of actors in a fault. */
const actorsIn = (target: object | undefined): readonly string[] =>
  ACTOR_FIELDS.flatMap((name) => (target as Partial<Record<string, string>> | undefined)?.[name] ?? []);

function applyToMachines(fault: Fault, cluster: Cluster): void {
  const each = (target: { readonly node: string } | undefined, act: (machine: Machine) => void): void => {
    if (target) for (const { machine } of agentsOf(cluster, target.node)) act(machine);
  };
  const { press, relieve, failCheckpoints } = fault;
  if (fault.reboot) powerOff(cluster, fault.reboot.node);
  each(fault.reboot, (machine) => machine.reboot());
  if (fault.reimage) powerOff(cluster, fault.reimage.node);
  each(fault.reimage, (machine) => machine.reimage());
  if (fault.addTwin) for (const { name } of agentsOf(cluster, fault.addTwin.node)) addTwin(cluster, name);
  if (fault.removeTwin)
    for (const { name } of agentsOf(cluster, fault.removeTwin.node)) removeTwin(cluster, name);
  each(fault.fillDisk, (machine) => machine.fillDisk());
  each(fault.freeDisk, (machine) => machine.freeDisk());
  if (press) each(press, (machine) => machine.press(press.of));
  if (relieve) each(relieve, (machine) => machine.relieve(relieve.of));
  each(fault.loseRoutes, (machine) => machine.loseNetwork());
  each(fault.restoreRoutes, (machine) => machine.restoreNetwork());
  each(fault.stopRuntime, (machine) => machine.stopRuntime());
  each(fault.startRuntime, (machine) => machine.startRuntime());
  if (failCheckpoints)
    each(failCheckpoints, ({ runtime }) => void (runtime.checkpointFailure = failCheckpoints.message));
  each(fault.allowCheckpoints, ({ runtime }) => void (runtime.checkpointFailure = ''));
}

function powerOff(cluster: Cluster, node: string): void {
  for (const { name, state } of cluster.faults.actors(requireActors(cluster, node)))
    if (state !== 'crashed') cluster.faults.crash(name, { isSilent: true });
}

function addTwin(cluster: Cluster, node: string): void {
  try {
    cluster.addTwin(node);
  } catch (error) {
    throw scenarioError(error);
  }
}

function removeTwin(cluster: Cluster, node: string): void {
  try {
    cluster.removeTwin(node);
  } catch (error) {
    throw scenarioError(error);
  }
}

interface Link {
  readonly from: string;
  readonly to?: string;
  readonly way?: 'both' | 'forth' | 'back';
}

function linkOf(
  cluster: Cluster,
  { from, to, way }: Link,
): [string, { readonly from?: string; readonly way?: 'both' | 'forth' | 'back' }] {
  return [
    requireActors(cluster, from),
    { ...(to !== undefined && { from: requireActors(cluster, to) }), ...(way && { way }) },
  ];
}

/** Microseconds as the language has them. @throws ScenarioError */
export function latencyOf({
  min,
  typical,
  max,
}: Readonly<Record<'min' | 'typical' | 'max', number>>): Readonly<Record<'min' | 'typical' | 'max', Micros>> {
  if (min > typical || typical > max) throw new ScenarioError('a latency needs min ≤ typical ≤ max');
  return { min: microseconds(min), typical: microseconds(typical), max: microseconds(max) };
}

/** Undefined: those that it had. */
function settingsOf(
  { actor, release: name, featureGates, runtimeConfig }: NonNullable<Fault['restart']>,
  cluster: Cluster,
): ServerSettings | undefined {
  if (name === undefined && !featureGates && !runtimeConfig) return undefined;
  const release = name === undefined ? undefined : requireRelease(name);
  const present = cluster.apiServers.find((server) => server.name === actor)?.release ?? RELEASE_1_31;
  const { gates } = release ?? present;
  return {
    ...(release && { release }),
    ...(featureGates && { featureGates: FeatureGates.parse(gates, assignments(featureGates)) }),
    ...(runtimeConfig && { runtimeConfig: assignments(runtimeConfig) }),
  };
}

function statusOf(status = 500): RefusalStatus {
  const known = REFUSALS.find((each) => each === status);
  if (known) return known;
  throw new ScenarioError(`requests fail with status ${REFUSALS.join(', ')}, not with ${status}`);
}

function agentsOf(cluster: Cluster, name: string): readonly NodeAgent[] {
  return cluster.faults.actors(requireActors(cluster, name)).map((actor) => {
    const agent = cluster.agents.find((each) => each.actor === actor);
    if (!agent) throw new ScenarioError(`${actor.name} is no node`);
    return agent;
  });
}

/** Several at once by `node/*` or `zone/<name>`; otherwise an actor by its name, or a node agent by its node's. */
export function requireActors(cluster: Cluster, name: string): string {
  if (!name.startsWith('zone/') && !name.endsWith('*')) return requireActor(cluster, name);
  try {
    cluster.faults.actors(name);
    return name;
  } catch (error) {
    throw scenarioError(error);
  }
}

const LEADERS: ReadonlySet<string> = new Set(['controller-manager/leader', 'scheduler/leader']);

/** An actor by its name, or a node agent by its node's, or a controller. */
export function requireActor({ simulation, faults }: Cluster, name: string): string {
  if (simulation.findActor(name) ?? simulation.findActor(`node/${name}`)) return name;
  if (faults.isController(name) || LEADERS.has(name)) return name;
  const names = simulation.actors.map((actor) => actor.name);
  throw new ScenarioError(
    `there is no actor \`${name}\`${nearest(name, names) || `; there are ${names.slice(0, 12).join(', ')}`}`,
  );
}

/** `ctl` is most likely `guest/ctl`. */
function nearest(name: string, names: readonly string[]): string {
  const whole = names.find((each) => each.slice(each.indexOf('/') + 1) === name);
  return whole === undefined ? didYouMean(name, names) : `; did you mean \`${whole}\`?`;
}

/** What cannot be done is the author's mistake; everything else is not. */
const scenarioError = (error: unknown): unknown =>
  error instanceof RangeError ? new ScenarioError(error.message) : error;
