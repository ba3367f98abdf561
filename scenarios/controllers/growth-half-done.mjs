/**
 * Lets the storage of a message broker grow in two steps, as its operator did (rabbitmq/cluster-operator#782): it writes
 * down the new size first, and then tells the claim. Whoever dies in between finds the size written down and thinks that all is done.
 */
import { CONFIG_MAPS, isAsked, madeFor, operatorOf, unlessThere } from './operator-kit.mjs';

export const growsWith = (isCareful) =>
  operatorOf([CONFIG_MAPS], async (key, { client, configmaps }) => {
    const wish = configmaps.get(key);
    if (!wish || !isAsked(wish)) return;
    const { namespace, name } = wish.metadata;
    const { size } = wish.data;
    const of = (part) => ({ namespace, name: `${name}-${part}` });
    for (const part of ['set', 'claim'])
      if (!configmaps.get(`${key}-${part}`)) {
        const metadata = madeFor(wish, { name: `${name}-${part}` });
        await unlessThere(client.configMaps.create({ metadata, data: { size } }));
      }
    const sizeOf = async (part) => (await client.configMaps.get(of(part))).data.size;
    const tell = (part) => client.configMaps.patch(of(part), { type: 'merge', body: { data: { size } } });
    if (isCareful && (await sizeOf('claim')) !== size) await tell('claim');
    if ((await sizeOf('set')) === size) return;
    await tell('set');
    if (!isCareful) await tell('claim');
  });

export const main = growsWith(false);
