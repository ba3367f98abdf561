/**
 * Gives back the claim of a database's pod once the pod is gone, as operators of databases did
 * (instaclustr/cassandra-operator#398): it notes that the pod is to go, and acts when it has gone. A pod whose going it has not
 * seen keeps its claim for ever.
 */
import {
  CLAIMS,
  CONFIG_MAPS,
  isAsked,
  madeFor,
  operatorOf,
  PODS,
  unlessGone,
  unlessThere,
} from './operator-kit.mjs';

const containers = [{ name: 'main', image: 'db:1' }];
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: '',
  resources: { requests: { storage: '1Gi' } },
};

export const givesBackWith = (isCareful) => {
  /** Names of pods that were seen to be on their way out. */
  const leaving = new Set();
  return operatorOf([CONFIG_MAPS, PODS, CLAIMS], async (key, view) => {
    const { client, configmaps, pods, persistentvolumeclaims: claims } = view;
    const wish = configmaps.get(key);
    if (!wish || !isAsked(wish)) return;
    const { namespace } = wish.metadata;
    const nameOf = (number) => `${wish.metadata.name}-${number}`;
    const wanted = Number(wish.data.members);
    for (let number = 0; number < wanted; number++) {
      const name = nameOf(number);
      leaving.delete(name);
      await unlessThere(
        client.persistentVolumeClaims.create({ metadata: madeFor(wish, { name }), spec: claimSpec }),
      );
      await unlessThere(client.pods.create({ metadata: madeFor(wish, { name }), spec: { containers } }));
    }
    const isSurplus = ({ metadata: { name, labels } }) =>
      labels?.of === wish.metadata.name && Number(name.split('-').at(-1)) >= wanted;
    const surplus = pods.list().filter(isSurplus);
    for (const { metadata } of surplus) {
      leaving.add(metadata.name);
      await unlessGone(client.pods.delete({ namespace, name: metadata.name }));
    }
    for (const { metadata } of claims.list().filter(isSurplus)) {
      const { name, uid } = metadata;
      const isOver = isCareful ? !pods.get(`${namespace}/${name}`) : leaving.has(name);
      if (!isOver || metadata.deletionTimestamp) continue;
      await unlessGone(client.persistentVolumeClaims.delete({ namespace, name }, { preconditions: { uid } }));
    }
  });
};

export const main = givesBackWith(false);
