/**
 * A small operator that keeps a budget for each ConfigMap of the role `guarded`, and the version in which it speaks of
 * budgets: the old one is gone in 1.25, and with it all that the operator can do.
 */
import { CONFIG_MAPS, operatorOf, unlessThere } from '../controllers/operator-kit.mjs';

const budgets = (version) => ({
  group: 'policy',
  version,
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  isNamespaced: true,
});

export const keeperOf = (version) =>
  operatorOf([CONFIG_MAPS], async (key, { configmaps, client }) => {
    const [namespace, name] = key.split('/');
    if (configmaps.get(key)?.metadata.labels?.role !== 'guarded') return;
    await unlessThere(
      client.resource(budgets(version)).create({
        apiVersion: `policy/${version}`,
        kind: 'PodDisruptionBudget',
        metadata: { namespace, name },
        spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
      }),
    );
  });

export const main = keeperOf('v1beta1');
