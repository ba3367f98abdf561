import { expect, test } from 'vitest';
import { createCluster } from '../../../cluster/create-cluster.ts';
import { seconds } from '../../../engine/time.ts';

const caBundle = btoa('-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n');

test('a webhook behind a service is asked at the pods that its Endpoints name', () => {
  const cluster = createCluster({ nodes: 1, settled: true });
  const behaviour = { listens: [{ port: 8443, responds: 'no review' }] };
  cluster.client.pods.create({
    metadata: {
      name: 'hook',
      labels: { app: 'hook' },
      annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) },
    },
    spec: { containers: [{ name: 'main', image: 'hook:1' }] },
  });
  cluster.client.services.create({
    metadata: { name: 'hook' },
    spec: { selector: { app: 'hook' }, ports: [{ port: 443, targetPort: 8443 }] },
  });
  cluster.client.validatingWebhookConfigurations.create({
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { caBundle, service: { namespace: 'default', name: 'hook', path: '/review' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
      },
    ],
  });
  const write = (): unknown => cluster.client.configMaps.create({ metadata: { name: 'a' } });
  // Before there are Endpoints nobody answers at the address of the service.
  expect(write).toThrow('failed calling webhook "hook.example.com": failed to call webhook: Post');
  expect(write).toThrow('connect: connection refused');
  cluster.eventually(() => cluster.client.pods.get('hook').status?.phase === 'Running');
  cluster.advance(seconds(5));
  expect(write).toThrow("couldn't get version/kind");
});

test('the test image of Kubernetes reviews what is written', () => {
  const cluster = createCluster({ nodes: 1, settled: true });
  cluster.client.pods.create({
    metadata: { name: 'hook', labels: { app: 'hook' } },
    spec: { containers: [{ name: 'main', image: 'agnhost:2.53', args: ['webhook', '--port=8444'] }] },
  });
  cluster.client.services.create({
    metadata: { name: 'hook' },
    spec: { selector: { app: 'hook' }, ports: [{ port: 9443, targetPort: 8444 }] },
  });
  cluster.eventually(() => cluster.client.pods.get('hook').status?.phase === 'Running');
  cluster.advance(seconds(5));
  const hook = (path: string, timeoutSeconds: number, trust: object = { caBundle }) => ({
    name: 'hook.example.com',
    clientConfig: { ...trust, service: { namespace: 'default', name: 'hook', path, port: 9443 } },
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['configmaps'] },
    ],
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
    timeoutSeconds,
  });
  const write = (name: string, data: Record<string, string>) =>
    cluster.client.configMaps.create({ metadata: { name }, data });
  const { validatingWebhookConfigurations, mutatingWebhookConfigurations } = cluster.client;
  mutatingWebhookConfigurations.create({
    metadata: { name: 'hook' },
    webhooks: [hook('/mutating-configmaps', 10)],
  });
  expect(write('a', { 'mutation-start': 'yes' }).data).toHaveProperty('mutation-stage-1', 'yes');
  validatingWebhookConfigurations.create({ metadata: { name: 'hook' }, webhooks: [hook('/configmaps', 10)] });
  expect(() => write('b', { 'webhook-e2e-test': 'webhook-disallow' })).toThrow(
    'denied the request: the configmap contains unwanted key and value',
  );
  validatingWebhookConfigurations.delete('hook');
  validatingWebhookConfigurations.create({
    metadata: { name: 'slow' },
    webhooks: [hook('/always-allow-delay-5s', 1)],
  });
  expect(() => write('c', {})).toThrow('context deadline exceeded');
  validatingWebhookConfigurations.delete('slow');
  validatingWebhookConfigurations.create({
    metadata: { name: 'unknown' },
    webhooks: [hook('/configmaps', 10, {})],
  });
  expect(() => write('d', {})).toThrow(
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  );
});
