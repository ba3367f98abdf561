/**
 * The bootstrap signer: it keeps the signatures of `kube-public/cluster-info` by bootstrap tokens. It runs where it is
 * named, and a write that failed is not tried again before something changes, both as in 1.31.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import { defineController } from '../manager/controller.ts';
import { isBootstrapToken } from '../token-cleaner/bootstrap-token.ts';
import { signedConfig } from './signed-config.ts';

const { configMaps, secrets } = BUILTIN_HANDLES;
const SIGNED = 'kube-public/cluster-info';

export const BOOTSTRAP_SIGNER = defineController({
  name: 'bootstrap-signer-controller',
  formerNames: ['bootstrapsigner'],
  serviceAccount: 'bootstrap-signer',
  isNamedOnly: true,
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const configs = informerOf(configMaps);
    const tokens = informerOf(secrets);
    const noteConfig = (config: ConfigMap): void => {
      if (storeKeyOf(config) === SIGNED) queue.add(SIGNED);
    };
    const noteToken = (secret: Secret): void => {
      if (isBootstrapToken(secret)) queue.add(SIGNED);
    };
    configs.addHandler({ added: noteConfig, changed: noteConfig });
    tokens.addHandler({ added: noteToken, changed: noteToken, removed: noteToken });
    for (const informer of [configs, tokens]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      workers: 1,
      *reconcile() {
        const config = configs.store.get(SIGNED);
        const own = tokens.store.byIndex('namespace', 'kube-system').filter(isBootstrapToken);
        const signed = config && signedConfig(config, own, context.wallMs());
        try {
          if (signed) yield* client.update(configMaps, signed);
        } catch (error) {
          if (!isCallFailure(error)) throw error;
        }
        return undefined;
      },
    });
  },
});
