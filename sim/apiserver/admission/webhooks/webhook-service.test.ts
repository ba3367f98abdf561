import { expect, test } from 'vitest';
import { createCluster } from '../../../cluster/create-cluster.ts';
import { seconds } from '../../../engine/time.ts';

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
        clientConfig: { service: { namespace: 'default', name: 'hook', path: '/review' } },
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
