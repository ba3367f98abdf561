/** The faults of the language as verbs on a cluster. */
import { microseconds, type Cluster, type Machine, type Micros } from '../sim/index.ts';
import type { Fault } from './language/scenario-shape.ts';
import { didYouMean } from './language/suggest.ts';
import { ScenarioError } from './language/variables.ts';

/** @throws ScenarioError when there is no such actor, or it is not in a state for this fault. */
export function applyFault(fault: Fault, cluster: Cluster): void {
  const { faults } = cluster;
  const link = ({
    from,
    to,
    way,
  }: Link): [string, { readonly from?: string; readonly way?: 'both' | 'forth' }] => [
    requireActor(cluster, from),
    { ...(to !== undefined && { from: requireActor(cluster, to) }), ...(way && { way }) },
  ];
  if (fault.partition) faults.partition(...link(fault.partition));
  if (fault.heal) faults.heal(...link(fault.heal));
  if (fault.hold) faults.hold(...link(fault.hold));
  if (fault.release) faults.release(...link(fault.release));
  if (fault.reset) faults.resetConnections(...link(fault.reset));
  if (fault.latency) slowDown(cluster, fault.latency);
  if (fault.crash)
    faults.crash(requireActor(cluster, fault.crash.actor), { isSilent: fault.crash.silent ?? false });
  if (fault.restart) restart(cluster, fault.restart.actor);
  if (fault.pause) faults.pause(requireActor(cluster, fault.pause.actor));
  if (fault.resume) faults.resume(requireActor(cluster, fault.resume.actor));
  if (fault.jumpClock) {
    const { actor, by, back } = fault.jumpClock;
    faults.jumpClock(requireActor(cluster, actor), microseconds(back ? -by : by));
  }
  if (fault.driftClock)
    faults.driftClock(requireActor(cluster, fault.driftClock.actor), fault.driftClock.ppm);
  if (fault.cordon) cluster.cordon(fault.cordon.node);
  if (fault.uncordon) cluster.uncordon(fault.uncordon.node);
  if (fault.lagWatchCache)
    for (const { server } of cluster.apiServers) server?.setWatchCacheLag(fault.lagWatchCache.by / 1_000);
  breakMachine(fault, cluster);
}

function breakMachine(fault: Fault, cluster: Cluster): void {
  if (fault.reboot) powerOff(cluster, fault.reboot.node).reboot();
  if (fault.reimage) powerOff(cluster, fault.reimage.node).reimage();
  if (fault.fillDisk) machineOf(cluster, fault.fillDisk.node).fillDisk();
  if (fault.freeDisk) machineOf(cluster, fault.freeDisk.node).freeDisk();
  if (fault.stopRuntime) machineOf(cluster, fault.stopRuntime.node).stopRuntime();
  if (fault.startRuntime) machineOf(cluster, fault.startRuntime.node).startRuntime();
}

const machineOf = (cluster: Cluster, node: string): Machine =>
  cluster.machine(requireActor(cluster, node).replace(/^node\//, ''));

function powerOff(cluster: Cluster, node: string): Machine {
  const name = requireActor(cluster, node);
  if (cluster.faults.actor(name).state !== 'crashed') cluster.faults.crash(name, { isSilent: true });
  return machineOf(cluster, node);
}

interface Link {
  readonly from: string;
  readonly to?: string;
  readonly way?: 'both' | 'forth';
}

function slowDown(
  cluster: Cluster,
  { from, to, way, min, typical, max }: NonNullable<Fault['latency']>,
): void {
  if (min > typical || typical > max) throw new ScenarioError('a latency needs min ≤ typical ≤ max');
  const latency: Readonly<Record<'min' | 'typical' | 'max', Micros>> = {
    min: microseconds(min),
    typical: microseconds(typical),
    max: microseconds(max),
  };
  cluster.faults.setLatency(requireActor(cluster, from), latency, {
    ...(to !== undefined && { from: requireActor(cluster, to) }),
    ...(way && { way }),
  });
}

function restart(cluster: Cluster, name: string): void {
  const { state } = cluster.faults.actor(requireActor(cluster, name));
  if (state !== 'crashed') throw new ScenarioError(`${name} is ${state}: only a crashed actor restarts`);
  cluster.faults.restart(name);
}

/** An actor by its name, or a node agent by its node's. */
export function requireActor({ simulation }: Cluster, name: string): string {
  if (simulation.findActor(name) ?? simulation.findActor(`node/${name}`)) return name;
  const names = simulation.actors.map((actor) => actor.name);
  throw new ScenarioError(
    `there is no actor \`${name}\`${didYouMean(name, names) || `; there are ${names.slice(0, 12).join(', ')}`}`,
  );
}
