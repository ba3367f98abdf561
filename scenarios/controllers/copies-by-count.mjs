/**
 * Keeps as many pods as a wish asks for, by counting those that its informer shows, as operators of computing clusters
 * did (ray-project/kuberay#715): while the informer is late, each look at it makes the same pods once more.
 */
import { CONFIG_MAPS, isAsked, madeFor, operatorOf, PODS, unlessGone, unlessThere } from './operator-kit.mjs';

const spec = { containers: [{ name: 'main', image: 'worker:1' }] };

export const countsWith = (isCareful) =>
  operatorOf([CONFIG_MAPS, PODS], async (key, { client, configmaps, pods }) => {
    const wish = configmaps.get(key);
    if (!wish || !isAsked(wish)) return;
    const wanted = Number(wish.data.workers);
    const own = pods.list().filter(({ metadata }) => metadata.labels?.of === wish.metadata.name);
    if (isCareful) {
      // By names that follow from the wish, what was made already is there already.
      for (let number = 0; number < wanted; number++)
        if (!pods.get(`${key}-${number}`))
          await unlessThere(
            client.pods.create({
              metadata: madeFor(wish, { name: `${wish.metadata.name}-${number}` }),
              spec,
            }),
          );
      for (const { metadata } of own)
        if (Number(metadata.name.split('-').at(-1)) >= wanted)
          await unlessGone(client.pods.delete({ namespace: metadata.namespace, name: metadata.name }));
      return;
    }
    for (let missing = wanted - own.length; missing > 0; missing--)
      await client.pods.create({ metadata: madeFor(wish, { generateName: `${wish.metadata.name}-` }), spec });
  });

export const main = countsWith(false);
