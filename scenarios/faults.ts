/** The faults of the language as verbs on a simulation. */
import { microseconds, type Actor, type Simulation } from '../sim/index.ts';
import type { Fault } from './language/scenario-shape.ts';
import { didYouMean } from './language/suggest.ts';
import { ScenarioError } from './language/variables.ts';

export interface FaultTarget {
  readonly simulation: Simulation;
  lagWatchCache(milliseconds: number): void;
  /** Absent where there are no nodes. */
  readonly setSchedulable?: (node: string, isSchedulable: boolean) => void;
}

/** @throws ScenarioError when there is no such actor, or it is not in a state for this fault. */
export function applyFault(fault: Fault, target: FaultTarget): void {
  const { simulation } = target;
  const { network } = simulation;
  const between = ({ from, to }: { readonly from: string; readonly to: string }): readonly [string, string] => [
    actorOf(simulation, from).name,
    actorOf(simulation, to).name,
  ];
  if (fault.partition) network.partition(...between(fault.partition), fault.partition.way);
  if (fault.heal) network.heal(...between(fault.heal), fault.heal.way);
  if (fault.hold) network.hold(...between(fault.hold), fault.hold.way);
  if (fault.release) network.release(...between(fault.release), fault.release.way);
  if (fault.reset) network.reset(...between(fault.reset));
  if (fault.latency) {
    const { min, typical, max, way } = fault.latency;
    if (min > typical || typical > max) throw new ScenarioError('a latency needs min ≤ typical ≤ max');
    network.setLatency(...between(fault.latency), { min: microseconds(min), typical: microseconds(typical), max: microseconds(max) }, way);
  }
  if (fault.crash) actorOf(simulation, fault.crash.actor).crash({ isSilent: fault.crash.silent ?? false });
  if (fault.restart) {
    const actor = actorOf(simulation, fault.restart.actor);
    if (actor.state !== 'crashed') throw new ScenarioError(`${actor.name} is ${actor.state}: only a crashed actor restarts`);
    actor.restart();
  }
  if (fault.pause) actorOf(simulation, fault.pause.actor).pause();
  if (fault.resume) actorOf(simulation, fault.resume.actor).resume();
  if (fault.jumpClock) {
    const { actor, by, back } = fault.jumpClock;
    actorOf(simulation, actor).jumpClock(microseconds(back ? -by : by));
  }
  if (fault.driftClock) actorOf(simulation, fault.driftClock.actor).driftClock(fault.driftClock.ppm);
  if (fault.cordon) schedulable(target, fault.cordon.node, false);
  if (fault.uncordon) schedulable(target, fault.uncordon.node, true);
  if (fault.lagWatchCache) target.lagWatchCache(fault.lagWatchCache.by / 1_000);
}

function actorOf(simulation: Simulation, name: string): Actor {
  const actor = simulation.findActor(name);
  if (actor) return actor;
  const names = simulation.actors.map((known) => known.name);
  throw new ScenarioError(`there is no actor \`${name}\`${didYouMean(name, names) || `; there are ${names.join(', ')}`}`);
}

function schedulable({ setSchedulable }: FaultTarget, node: string, isSchedulable: boolean): void {
  if (!setSchedulable) throw new ScenarioError('the cluster has no nodes');
  setSchedulable(node, isSchedulable);
}
