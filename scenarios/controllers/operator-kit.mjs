/** What the small operators of this folder share: a queue of keys, fed by informers, and a reconciliation that may fail. */
const core = (resource, kind) => ({ group: '', version: 'v1', resource, kind, isNamespaced: true });
export const CONFIG_MAPS = core('configmaps', 'ConfigMap');
export const CLAIMS = core('persistentvolumeclaims', 'PersistentVolumeClaim');
export const PODS = core('pods', 'Pod');

/** ConfigMaps of this role are what users ask for; what is made for one bears its name as label `of`. */
export const isAsked = ({ metadata: { labels } }) => labels?.role === 'wish';
const keyOf = ({ metadata: { namespace, name, labels } }) => `${namespace}/${labels?.of ?? name}`;

/** `reconcile(key, view)` with the informers by kind and the client. */
export const operatorOf = (kinds, reconcile) =>
  async function main({ client, informer, workQueue }) {
    const queue = workQueue();
    const enqueue = (object) => queue.add(keyOf(object));
    const view = { client };
    for (const kind of kinds)
      view[kind.resource] = informer(kind, { added: enqueue, changed: enqueue, removed: enqueue });
    for (const { resource } of kinds) await view[resource].whenSynced();
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      try {
        await reconcile(key, view);
        queue.forget(key);
      } catch {
        queue.addRateLimited(key);
      }
      queue.done(key);
    }
  };

export const unless = (reason) => (call) =>
  call.catch((error) => {
    if (error.reason !== reason) throw error;
  });
export const unlessGone = unless('NotFound');
export const unlessThere = unless('AlreadyExists');

/** What is made for a wish. */
export const madeFor = ({ metadata: { namespace, name, uid } }, ownName) => ({
  namespace,
  ...ownName,
  labels: { of: name },
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }],
});
