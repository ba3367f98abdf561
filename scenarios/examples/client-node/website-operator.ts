/**
 * An operator on `@kubernetes/client-node`, as it ships: it finds the cluster that it runs in, follows Websites and
 * Deployments with informers, and makes a Deployment for each Website. It knows nothing of kubesim.
 */
import {
  AppsV1Api,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  setHeaderOptions,
  type V1Deployment,
} from '@kubernetes/client-node';

const GROUP = { group: 'example.com', version: 'v1', plural: 'websites' };
const RETRY_MS = 500;

interface Website extends KubernetesObject {
  readonly spec: { readonly image: string; readonly replicas: number };
  readonly status?: { readonly readyReplicas?: number };
}

const config = new KubeConfig();
config.loadFromDefault();
const apps = config.makeApiClient(AppsV1Api);
const objects = config.makeApiClient(CustomObjectsApi);

/** Keys that are to be looked at; of this process. */
const waiting = new Set<string>();
let isWorking = false;

const websites = makeInformer<Website>(
  config,
  '/apis/example.com/v1/websites',
  () => objects.listClusterCustomObject(GROUP) as Promise<{ items: Website[] }>,
);
const deployments = makeInformer<V1Deployment>(config, '/apis/apps/v1/deployments', () =>
  apps.listDeploymentForAllNamespaces(),
);

function follow<T extends KubernetesObject>(informer: Informer<T>): void {
  for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, (object) => enqueue(object));
  informer.on('error', () => void setTimeout(() => void informer.start(), RETRY_MS));
}

function enqueue({ metadata }: KubernetesObject): void {
  waiting.add(`${metadata?.namespace}/${metadata?.name}`);
  if (!isWorking) void work();
}

async function work(): Promise<void> {
  isWorking = true;
  for (const key of waiting) {
    waiting.delete(key);
    const [namespace = '', name = ''] = key.split('/');
    const website = websites.get(name, namespace);
    if (!website) continue;
    try {
      await reconcile(website, deployments.get(name, namespace));
    } catch {
      setTimeout(() => enqueue(website), RETRY_MS);
    }
  }
  isWorking = false;
}

const MERGE = setHeaderOptions('Content-Type', 'application/merge-patch+json');

async function reconcile(website: Website, known: V1Deployment | undefined): Promise<void> {
  const { name = '', namespace = '', uid = '' } = website.metadata ?? {};
  const { image, replicas } = website.spec;
  if (!known) {
    const labels = { website: name };
    const owner = { apiVersion: 'example.com/v1', kind: 'Website', name, uid, controller: true };
    await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name, ownerReferences: [owner] },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
        },
      },
    });
  } else if (known.spec?.replicas !== replicas) {
    await apps.patchNamespacedDeployment({ name, namespace, body: { spec: { replicas } } }, MERGE);
  }
  const readyReplicas = known?.status?.readyReplicas ?? 0;
  if (website.status?.readyReplicas === readyReplicas) return;
  const body = { status: { readyReplicas } };
  await objects.patchNamespacedCustomObjectStatus({ ...GROUP, name, namespace, body }, MERGE);
}

follow(websites);
follow(deployments);
await Promise.all([websites.start(), deployments.start()]);
