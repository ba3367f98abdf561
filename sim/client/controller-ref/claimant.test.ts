import { describe, expect, it } from 'vitest';
import type { Pod, ReplicationController } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { BUILTIN_HANDLES } from '../builtin-handles.ts';
import { Claimant, ownerReferenceOf } from './claimant.ts';

const { pods, replicationControllers } = BUILTIN_HANDLES;
const CONTAINERS = [{ name: 'main', image: 'app:1' }];
const SPEC = {
  selector: { app: 'web' },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: CONTAINERS } },
};

function clusterWithController() {
  const cluster = createCluster({ controllers: ['serviceaccount-controller'] });
  cluster.settle();
  const { client } = cluster;
  const controller = client.replicationControllers.create({
    metadata: { name: 'web' },
    spec: SPEC,
  });
  const addPod = (name: string, app: string, owner?: ReplicationController): Pod =>
    client.pods.create({
      metadata: {
        name,
        labels: { app },
        ...(owner && {
          ownerReferences: [
            ownerReferenceOf({ controllerHandle: replicationControllers, controller: owner }),
          ],
        }),
      },
      spec: { containers: CONTAINERS },
    });
  const claim = (seen: readonly Pod[], as: ReplicationController = controller): readonly string[] => {
    const claimant = new Claimant({
      client: cluster.userClient,
      controllerHandle: replicationControllers,
      controller: as,
      handle: pods,
      isSelected: ({ metadata }) => metadata.labels?.['app'] === 'web',
    });
    return cluster.finish(claimant.claim(seen)).map(({ metadata }) => metadata.name ?? '');
  };
  const ownersOf = (name: string): readonly string[] =>
    client.pods.get(name).metadata.ownerReferences?.map(({ name: owner }) => owner) ?? [];
  return { cluster, client, controller, addPod, claim, ownersOf };
}

describe('a claimant', () => {
  it('adopts orphans that match and releases what matches no more', () => {
    const { controller, addPod, claim, ownersOf } = clusterWithController();
    const seen = [
      addPod('orphan', 'web'),
      addPod('own', 'web', controller),
      addPod('stray', 'db', controller),
    ];
    expect(claim(seen)).toEqual(['orphan', 'own']);
    expect(['orphan', 'own', 'stray'].map(ownersOf)).toEqual([['web'], ['web'], []]);
    // Seen late: it is released already, and adopted already.
    expect(claim(seen)).toEqual(['orphan', 'own']);
  });

  it('adopts nothing for an object that is gone, or that was made anew', () => {
    const { client, controller, addPod, claim, ownersOf } = clusterWithController();
    const seen = [addPod('orphan', 'web'), addPod('own', 'web', controller)];
    client.replicationControllers.delete('web', { propagationPolicy: 'Background' });
    expect(() => claim(seen)).toThrow('"web" not found');
    client.replicationControllers.create({ metadata: { name: 'web' }, spec: SPEC });
    expect(() => claim(seen)).toThrow('original ReplicationController default/web is gone');
    expect(ownersOf('orphan')).toEqual([]);
  });

  it('does not mind what is gone, or was replaced by another of its name', () => {
    const { client, controller, addPod, claim, ownersOf } = clusterWithController();
    const gone = addPod('gone', 'web');
    const replaced = addPod('replaced', 'db', controller);
    const kept = addPod('kept', 'web');
    for (const name of ['gone', 'replaced']) client.pods.delete(name, { gracePeriodSeconds: 0 });
    addPod('replaced', 'web', controller);
    expect(claim([gone, replaced, kept])).toEqual(['kept']);
    expect(ownersOf('replaced')).toEqual(['web']);
  });
});
