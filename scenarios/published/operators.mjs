/**
 * What the published operators of this folder have in common: a wish with a finalizer, and parts that are made for it.
 * Each is as small as the thread that tells of its bug lets it be; `isCareful` is what was done about it.
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
} from '../controllers/operator-kit.mjs';

const SETS = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  isNamespaced: true,
};
const HOLD = 'example.com/parts';
const containers = [{ name: 'main', image: 'main:1' }];
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: '',
  resources: { requests: { storage: '1Gi' } },
};

const setFor = (wish) => {
  const { name } = wish.metadata;
  const labels = { of: name };
  const template = { metadata: { labels }, spec: { containers } };
  return {
    metadata: madeFor(wish, { name }),
    spec: { replicas: 1, serviceName: name, selector: { matchLabels: labels }, template },
  };
};

/** With the uid of what was seen, nothing else can be met. */
const meaning = ({ metadata: { uid } }, isCareful) => (isCareful ? { preconditions: { uid } } : undefined);
/** Somebody else is there by now: what was meant is gone. */
const unlessOther = (call) =>
  unlessGone(call).catch((error) => {
    if (error.reason !== 'Conflict') throw error;
  });

const holding = async (
  { client },
  { metadata: { namespace, name, finalizers = [], resourceVersion } },
  isHeld,
) => {
  const wanted = isHeld ? [...finalizers, HOLD] : finalizers.filter((each) => each !== HOLD);
  const body = { metadata: { resourceVersion, finalizers: wanted } };
  await unlessGone(client.configMaps.patch({ namespace, name }, { type: 'merge', body }));
};
const isHeld = ({ metadata: { finalizers = [] } }) => finalizers.includes(HOLD);
const isGoing = ({ metadata: { deletionTimestamp } }) => deletionTimestamp !== undefined;
const ownedBy =
  ({ metadata: { uid } }) =>
  ({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some((owner) => owner.uid === uid);

/** Looks after wishes: `bury` before one goes, `tend` while it is there. */
const looksAfter = (kinds, { tend, bury }) =>
  operatorOf([CONFIG_MAPS, ...kinds], async (key, view) => {
    const wish = view.configmaps.get(key);
    if (!wish || !isAsked(wish)) return;
    if (!isGoing(wish)) {
      if (isHeld(wish)) await tend?.(wish, view);
      else await holding(view, wish, true);
    } else if (isHeld(wish)) {
      await bury(wish, view);
      await holding(view, wish, false);
    }
  });

/** rabbitmq/cluster-operator#648: the set of a broker that is to go is deleted by its name. */
export const buriesSet = (isCareful) =>
  looksAfter([SETS], {
    tend: async (wish, { client, statefulsets }) => {
      const { namespace, name } = wish.metadata;
      if (!statefulsets.get(`${namespace}/${name}`))
        await unlessThere(client.statefulSets.create(setFor(wish)));
    },
    bury: async (wish, { client, statefulsets }) => {
      const { namespace, name } = wish.metadata;
      const set = statefulsets.get(`${namespace}/${name}`);
      if (!set || isGoing(set) || (isCareful && !ownedBy(wish)(set))) return;
      await unlessOther(client.statefulSets.delete({ namespace, name }, meaning(set, isCareful)));
    },
  });

/** rabbitmq/cluster-operator#653: whatever differs from the wanted size is taken for growth, for which the set has to go. */
export const growsBySet = (isCareful) =>
  looksAfter([SETS], {
    tend: async (wish, { client, statefulsets }) => {
      const { namespace, name } = wish.metadata;
      const wanted = Object.keys(wish.data).length;
      const place = { namespace, name: `${name}-size` };
      const metadata = madeFor(wish, { name: place.name });
      await unlessThere(client.configMaps.create({ metadata, data: { size: String(wanted) } }));
      const size = Number((await client.configMaps.get(place)).data.size);
      if (isCareful ? wanted > size : wanted !== size) {
        const set = statefulsets.get(`${namespace}/${name}`);
        if (set) await unlessOther(client.statefulSets.delete({ namespace, name }, meaning(set, isCareful)));
        await client.configMaps.patch(place, { type: 'merge', body: { data: { size: String(wanted) } } });
      }
      await unlessThere(client.statefulSets.create(setFor(wish)));
    },
    bury: async () => undefined,
  });

const claimsFor = async (wish, { client, persistentvolumeclaims: claims }, count) => {
  const { namespace, name } = wish.metadata;
  for (let number = 0; number < count; number++)
    if (!claims.get(`${namespace}/${name}-${number}`)) {
      const metadata = madeFor(wish, { name: `${name}-${number}` });
      await unlessThere(client.persistentVolumeClaims.create({ metadata, spec: claimSpec }));
    }
};
const MEMBERS = 2;

/** pravega/zookeeper-operator#312: claims of a cluster that is to go are found and deleted by their names. */
export const buriesClaims = (isCareful) =>
  looksAfter([CLAIMS], {
    tend: (wish, view) => claimsFor(wish, view, MEMBERS),
    bury: async (wish, { client, persistentvolumeclaims: claims }) => {
      const { namespace, name: of } = wish.metadata;
      for (const claim of claims.list().filter(({ metadata: { labels } }) => labels?.of === of))
        if (!isGoing(claim) && (!isCareful || ownedBy(wish)(claim))) {
          const { name } = claim.metadata;
          await unlessOther(
            client.persistentVolumeClaims.delete({ namespace, name }, meaning(claim, isCareful)),
          );
        }
    },
  });

/** pravega/zookeeper-operator#314: claims beyond the wanted number are deleted by their names. */
export const shrinksClaims = (isCareful) =>
  looksAfter([CLAIMS], {
    tend: async (wish, view) => {
      const { namespace, name: of } = wish.metadata;
      const wanted = Number(wish.data.members);
      await claimsFor(wish, view, wanted);
      for (const claim of view.persistentvolumeclaims.list()) {
        const { name, labels } = claim.metadata;
        if (labels?.of !== of || Number(name.split('-').at(-1)) < wanted || isGoing(claim)) continue;
        await unlessOther(
          view.client.persistentVolumeClaims.delete({ namespace, name }, meaning(claim, isCareful)),
        );
      }
    },
    bury: async () => undefined,
  });

/** instaclustr/cassandra-operator#402: claims of a data center that is to go are asked for by its labels, whoever made them. */
export const buriesLabelled = (isCareful) =>
  looksAfter([CLAIMS], {
    tend: (wish, view) => claimsFor(wish, view, MEMBERS),
    bury: async (wish, { client }) => {
      const { namespace, name: of } = wish.metadata;
      const { items } = await client.persistentVolumeClaims.list({ namespace, labelSelector: `of=${of}` });
      for (const claim of items.filter((each) => !isCareful || ownedBy(wish)(each)))
        await unlessGone(client.persistentVolumeClaims.delete({ namespace, name: claim.metadata.name }));
    },
  });

/** ai-dynamo/grove#122: pods are made and deleted by how many of them are seen. */
export const countsPods = (isCareful) => {
  /** Names that were made and not seen yet, as expectations of controllers. */
  const made = new Set();
  /** Of the last one nobody knows whether it was made: the answer was lost. */
  let isUnsure = false;
  return looksAfter([PODS], {
    tend: async (wish, { client, pods }) => {
      const { namespace, name: of } = wish.metadata;
      const wanted = Number(wish.data.pods);
      if (isUnsure && isCareful) {
        const { items } = await client.pods.list({ namespace, labelSelector: `of=${of}` });
        made.clear();
        for (const { metadata } of items) made.add(metadata.name);
        isUnsure = false;
      }
      const seen = pods.list().filter(({ metadata: { labels } }) => labels?.of === of);
      for (const { metadata } of seen) made.delete(metadata.name);
      const count = seen.length + (isCareful ? made.size : 0);
      for (let missing = wanted - count; missing > 0; missing--) {
        const metadata = madeFor(wish, { generateName: `${of}-` });
        isUnsure = true;
        made.add((await client.pods.create({ metadata, spec: { containers } })).metadata.name);
        isUnsure = false;
      }
      const surplus = seen.slice(0, Math.max(0, count - wanted));
      for (const pod of surplus)
        await unlessOther(
          client.pods.delete(
            { namespace, name: pod.metadata.name },
            { ...meaning(pod, true), gracePeriodSeconds: 0 },
          ),
        );
    },
    bury: async () => undefined,
  });
};
