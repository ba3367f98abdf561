/**
 * A small operator, as one would write it: a Deployment for each Website, and how much of it is ready in the Website's
 * status. It acts on what its informers know, which may be old, and tries again after whatever goes wrong.
 */
import { type ApiObject, BUILTIN_HANDLES, type GuestFunction, ms, seconds } from 'kubesim';

type Environment = Parameters<GuestFunction>[0];

export interface Website extends ApiObject {
  readonly spec: { readonly image: string; readonly replicas: number };
  readonly status?: { readonly readyReplicas?: number };
}

export const WEBSITES = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
} as const;

export const websiteOperator: GuestFunction = async (environment) => {
  const { informer, workQueue } = environment;
  const queue = workQueue();
  const enqueue = ({ metadata: { namespace, name } }: ApiObject): void => queue.add(`${namespace}/${name}`);
  const websites = informer<Website>(WEBSITES, {
    added: enqueue,
    changed: enqueue,
    resyncEvery: seconds(60),
  });
  const deployments = informer(BUILTIN_HANDLES.deployments, {
    added: enqueue,
    changed: enqueue,
    removed: enqueue,
  });
  await websites.whenSynced();
  await deployments.whenSynced();
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const website = websites.get(key);
    try {
      if (website && website.metadata.deletionTimestamp === undefined)
        await reconcile(environment, website, deployments.get(key));
      queue.forget(key);
    } catch {
      queue.addAfter(key, ms(500));
    }
    queue.done(key);
  }
};

type Deployment = ApiObject & {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
};

async function reconcile(
  { client }: Environment,
  website: Website,
  known: Deployment | undefined,
): Promise<void> {
  const { name = '', namespace = '', uid = '' } = website.metadata;
  const { image, replicas } = website.spec;
  if (!known) {
    const labels = { website: name };
    await client.deployments.create({
      metadata: {
        name,
        namespace,
        ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Website', name, uid, controller: true }],
      },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
      },
    });
  } else if (known.spec?.replicas !== replicas) {
    await client.deployments.patch({ name, namespace }, { type: 'merge', body: { spec: { replicas } } });
  }
  const readyReplicas = known?.status?.readyReplicas ?? 0;
  if (website.status?.readyReplicas === readyReplicas) return;
  const status = { status: { readyReplicas } };
  await client
    .resource<Website>(WEBSITES)
    .patch({ name, namespace }, { type: 'merge', body: status }, { subresource: 'status' });
}
