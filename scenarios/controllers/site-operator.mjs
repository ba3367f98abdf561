/**
 * A controller as one would write it: for each Site a ConfigMap that belongs to it, and a Secret in another namespace,
 * which nothing can own from here: a finalizer holds the Site until that is gone.
 */
const SITES = { group: 'example.com', version: 'v1', resource: 'sites', kind: 'Site', isNamespaced: true };
const CONFIG_MAPS = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  isNamespaced: true,
};
const HOLD = 'example.com/keys';

export async function main({ client, informer, workQueue }) {
  const queue = workQueue();
  const enqueue = ({ metadata: { namespace, name } }) => queue.add(`${namespace}/${name}`);
  const handlers = { added: enqueue, changed: enqueue, removed: enqueue };
  const sites = informer(SITES, handlers);
  const pages = informer(CONFIG_MAPS, handlers);
  await sites.whenSynced();
  await pages.whenSynced();
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    try {
      const site = sites.get(key);
      if (site?.metadata.deletionTimestamp !== undefined) await bury(client, site);
      else if (site) await tend(client, site, pages.get(key));
      queue.forget(key);
    } catch {
      queue.addRateLimited(key);
    }
    queue.done(key);
  }
}

async function tend(client, site, page) {
  const { name, namespace, uid, generation, finalizers = [] } = site.metadata;
  const sites = client.resource(SITES);
  if (!finalizers.includes(HOLD)) {
    await sites.update({ ...site, metadata: { ...site.metadata, finalizers: [...finalizers, HOLD] } });
    return;
  }
  await unlessThere(client.secrets.create({ metadata: { namespace: 'kube-system', name: `site-${name}` } }));
  const data = { title: site.spec.title };
  if (!page) {
    const owner = { apiVersion: 'example.com/v1', kind: 'Site', name, uid, controller: true };
    await client.configMaps.create({ metadata: { name, namespace, ownerReferences: [owner] }, data });
  } else if (page.data?.title !== data.title) {
    await client.configMaps.update({ ...page, data });
  }
  if (site.status?.observedGeneration === generation) return;
  const body = { status: { observedGeneration: generation } };
  await sites.patch({ name, namespace }, { type: 'merge', body }, { subresource: 'status' });
}

async function bury(client, site) {
  const { name, finalizers = [] } = site.metadata;
  if (!finalizers.includes(HOLD)) return;
  await unlessGone(client.secrets.delete({ namespace: 'kube-system', name: `site-${name}` }));
  const left = finalizers.filter((each) => each !== HOLD);
  await client.resource(SITES).update({ ...site, metadata: { ...site.metadata, finalizers: left } });
}

const unless = (reason) => (call) =>
  call.catch((error) => {
    if (error.reason !== reason) throw error;
  });
const unlessThere = unless('AlreadyExists');
const unlessGone = unless('NotFound');
