/**
 * The same idea, done carelessly: it works on what happens instead of on what there is. What happens while it is down, it
 * never hears of, and what it made for a Site outlives that.
 */
const SITES = { group: 'example.com', version: 'v1', resource: 'sites', kind: 'Site', isNamespaced: true };

export async function main({ client, informer }) {
  const sites = informer(SITES, {
    added: ({ metadata: { name, namespace }, spec }) =>
      client.configMaps
        .create({ metadata: { name, namespace }, data: { title: spec.title } })
        .catch(() => undefined),
    changed: ({ metadata: { name, namespace }, spec }, old) =>
      spec.title !== old.spec.title &&
      client.configMaps
        .patch({ name, namespace }, { type: 'merge', body: { data: { title: spec.title } } })
        .catch(() => undefined),
  });
  await sites.whenSynced();
  await new Promise(() => undefined);
}
