/**
 * Runs the one step of a workflow, notes that it is over and clears up, as a workflow controller did (argoproj/argo-workflows#13986): by
 * what its informer shows. Where that is an old state, the step runs once more, and nobody clears up after it.
 */
import { CONFIG_MAPS, isAsked, madeFor, operatorOf, PODS, unlessGone, unlessThere } from './operator-kit.mjs';

const spec = { containers: [{ name: 'main', image: 'step:1' }] };

const deleteByName = (client, step) => unlessGone(client.pods.delete(step));

/** Only what it has looked at. */
async function deleteLookedAt(client, step) {
  const pod = await unlessGone(client.pods.get(step));
  if (pod) await unlessGone(client.pods.delete(step, { preconditions: { uid: pod.metadata.uid } }));
}

export const stepsWith = (isCareful) =>
  operatorOf([CONFIG_MAPS, PODS], async (key, { client, configmaps }) => {
    const known = configmaps.get(key);
    if (!known || !isAsked(known)) return;
    const { namespace, name } = known.metadata;
    const step = { namespace, name: `${name}-step` };
    const wish = isCareful ? await client.configMaps.get({ namespace, name }) : known;
    const { turn, done = '0' } = wish.data;
    if (done === turn) {
      if (isCareful) await deleteLookedAt(client, step);
      return;
    }
    await unlessThere(client.pods.create({ metadata: madeFor(wish, { name: step.name }), spec }));
    const body = { metadata: { resourceVersion: wish.metadata.resourceVersion }, data: { done: turn } };
    await client.configMaps.patch({ namespace, name }, { type: 'merge', body });
    await (isCareful ? deleteLookedAt : deleteByName)(client, step);
  });

export const main = stepsWith(false);
