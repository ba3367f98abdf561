/** A small operator on the JavaScript client: a Secret for each ConfigMap that asks for one. For tests of determinism. */
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  type KubernetesObject,
  type V1ConfigMap,
} from '@kubernetes/client-node';

const COUNT = 5;

export async function main(): Promise<void> {
  const config = new KubeConfig();
  config.loadFromDefault();
  const core = config.makeApiClient(CoreV1Api);
  const namespace = 'default';
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = makeInformer<V1ConfigMap>(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const reconcile = async ({ metadata }: KubernetesObject): Promise<void> => {
    const name = metadata?.name ?? '';
    if (metadata?.labels?.['wants'] !== 'secret') return;
    try {
      const stringData = { at: new Date().toISOString(), drawn: String(Math.random()) };
      await core.createNamespacedSecret({ namespace, body: { metadata: { name }, stringData } });
    } catch (error) {
      if (Reflect.get(error as object, 'code') === 409) return;
      setTimeout(() => void reconcile({ metadata: { name, labels: { wants: 'secret' } } }), 200);
    }
  };
  informer.on('add', (object) => void reconcile(object));
  informer.on('error', () => void setTimeout(() => void informer.start(), 200));
  await informer.start();
  for (let index = 0; index < COUNT; index++) {
    const metadata = { name: `c${index}`, labels: { wants: 'secret' } };
    await core.createNamespacedConfigMap({ namespace, body: { metadata } }).catch(() => undefined);
  }
}
