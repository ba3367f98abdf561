/** The past of a cluster whose driver has promises: deeds that take their time are noted, and lived again in a fork. */
import type { Cluster, ForkOptions } from '../cluster/cluster.ts';
import type { Act } from '../cluster/journal.ts';

/** Does something that a fork can do again to another cluster: `act` uses nothing but the cluster that it is given. */
export const performed = <T>(cluster: Cluster, what: string, act: Act<Cluster, Promise<T>>): Promise<T> =>
  noted(cluster.begin(what, act), () => act(cluster));

/** Does something that can be done to no other cluster. */
export const performedOnce = <T>(cluster: Cluster, what: string, work: () => Promise<T>): Promise<T> =>
  noted(cluster.begin(what, undefined), work);

async function noted<T>(ended: (error?: unknown) => void, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    ended();
    return result;
  } catch (error) {
    ended(error);
    throw error;
  }
}

/** `house` readies the fork before anything happens in it. @throws Irreproducible */
export async function forked(
  cluster: Cluster,
  options: ForkOptions,
  house: (fork: Cluster) => void,
): Promise<Cluster> {
  const reliving = cluster.forkInSteps(options, house);
  for (let step = reliving.next(); ;) {
    if (step.done === true) return step.value;
    try {
      await step.value;
    } catch (error) {
      step = reliving.throw(error);
      continue;
    }
    step = reliving.next();
  }
}
