/**
 * A controller that keeps a Secret for every wish, and takes no failure for what it is: what could not be written once is
 * left until the wish changes again.
 */
import { CONFIG_MAPS, isAsked, madeFor, unlessThere } from './operator-kit.mjs';

const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', isNamespaced: true };

export async function main({ client, informer, workQueue }) {
  const queue = workQueue();
  const enqueue = ({ metadata: { namespace, name } }) => queue.add(`${namespace}/${name}`);
  const wishes = informer(CONFIG_MAPS, { added: enqueue, changed: enqueue, removed: enqueue });
  const secrets = informer(SECRETS, { added: enqueue, changed: enqueue, removed: enqueue });
  await wishes.whenSynced();
  await secrets.whenSynced();
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const wish = wishes.get(key);
    if (wish && isAsked(wish)) await keep(client, wish, secrets.get(key)).catch(() => undefined);
    queue.done(key);
  }
}

async function keep(client, wish, secret) {
  const { name } = wish.metadata;
  const data = { text: btoa(wish.data?.text ?? '') };
  if (!secret) await unlessThere(client.secrets.create({ metadata: madeFor(wish, { name }), data }));
  else if (secret.data?.text !== data.text) await client.secrets.update({ ...secret, data });
}
