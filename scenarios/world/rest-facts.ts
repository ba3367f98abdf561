/** What is to be known of a cluster at rest beside what is stored: what lives on its machines, and whose copies there are. */
import type { KeptCopy, RunningContainer } from '../../model/rest/facts.ts';
import type { RestQuestion } from '../../model/rest/rest-rules.ts';
import type { Cluster } from '../../sim/index.ts';

type Question = Omit<RestQuestion, 'containers' | 'copies' | 'servers'>;

/** Looks at machines and copies when it is asked for them. */
export const askedOf = (cluster: Cluster, question: Question): RestQuestion => ({
  ...question,
  servers: cluster.apiServers.length,
  get containers() {
    return containersOf(cluster);
  },
  get copies() {
    return copiesOf(cluster);
  },
});

/** On machines whose agents are down, nobody looks after containers. */
export function containersOf({ agents }: Cluster): readonly RunningContainer[] {
  return agents
    .filter(({ actor }) => actor.state === 'running')
    .flatMap(({ actor, name: node, machine }) =>
      machine.runtime
        .running(actor.context.now() / 1_000)
        .map(({ podUid, podNamespace: namespace, podName, name, id }) => ({
          node,
          podUid,
          namespace,
          podName,
          name,
          id,
        })),
    );
}

/** Events come and go by themselves, and leases all the time. */
const UNWATCHED: ReadonlySet<string> = new Set(['events', 'leases']);

export function copiesOf({ controllerManagers, schedulers }: Cluster): readonly KeptCopy[] {
  return [...controllerManagers, ...schedulers].flatMap(({ name: by, informers }) =>
    informers
      .filter(({ handle, isSynced }) => isSynced && !UNWATCHED.has(handle.resource))
      .map(({ handle: { group, version, kind }, isPart, store }) => ({
        by,
        apiVersion: group === '' ? version : `${group}/${version}`,
        kind,
        isPart,
        versions: new Map(
          store
            .list()
            .map(({ metadata: { namespace, name = '', resourceVersion = '' } }) => [
              namespace ? `${namespace}/${name}` : name,
              resourceVersion,
            ]),
        ),
      })),
  );
}
