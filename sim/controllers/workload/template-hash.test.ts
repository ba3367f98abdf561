import { expect, it } from 'vitest';
import type { PodTemplateSpec } from '../../api/types/core-v1.ts';
import { podTemplateHash, revisionHash } from './template-hash.ts';

const SIMPLE: PodTemplateSpec = {
  metadata: { creationTimestamp: null, labels: { app: 'x', v: '1' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'i',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 0,
    dnsPolicy: 'ClusterFirst',
    automountServiceAccountToken: false,
    securityContext: {},
    schedulerName: 'manual',
  },
};

it.each<[string, { readonly spec?: object; readonly container?: object }, string, string]>([
  ['a simple template', {}, '556966dc98', '777c46fbd7'],
  [
    'resources',
    {
      container: {
        resources: {
          limits: { cpu: '100m', memory: '1Gi', 'nvidia.com/gpu': '2' },
          requests: { cpu: '1500m', memory: '128Mi', 'ephemeral-storage': '1e3' },
        },
      },
    },
    'b75975f4f',
    '786dbd975b',
  ],
  [
    'probes and ports',
    {
      container: {
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        livenessProbe: {
          httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        readinessProbe: {
          tcpSocket: { port: 80 },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } },
      },
    },
    '8565dd9f57',
    '7ccdc67d44',
  ],
  [
    'environments',
    {
      container: {
        env: [
          { name: 'A', value: 'grüße' },
          { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } },
          { name: 'D', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
        envFrom: [{ configMapRef: { name: 'm' } }],
      },
    },
    '7dc47f87d4',
    '7d7464fc4f',
  ],
  [
    'security',
    {
      container: {
        securityContext: {
          capabilities: { drop: ['ALL'] },
          runAsNonRoot: true,
          runAsUser: 1000,
          allowPrivilegeEscalation: false,
          seLinuxOptions: { level: 's0' },
        },
      },
    },
    '86576487b4',
    '6c74c8f797',
  ],
  [
    'volumes',
    {
      spec: {
        volumes: [
          { name: 'a', emptyDir: { sizeLimit: '1Gi' } },
          {
            name: 'b',
            configMap: { name: 'm', defaultMode: 420, items: [{ key: 'k', path: 'p', mode: 256 }] },
          },
          { name: 'c', secret: { secretName: 's', defaultMode: 420 } },
          { name: 'd', persistentVolumeClaim: { claimName: 'x' } },
          {
            name: 'e',
            projected: {
              sources: [
                { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                {
                  downwardAPI: {
                    items: [{ path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }],
                  },
                },
              ],
              defaultMode: 420,
            },
          },
          {
            name: 'f',
            rbd: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
          },
          {
            name: 'g',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { creationTimestamp: null },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1Gi' } },
                  volumeMode: 'Filesystem',
                },
              },
            },
          },
          { name: 'h', hostPath: { path: '/', type: '' } },
          { name: 'i', csi: { driver: 'd' } },
        ],
      },
    },
    '54b8899f8f',
    '7f46b897dd',
  ],
  [
    'placement',
    {
      spec: {
        nodeSelector: { b: '2', a: '1' },
        tolerations: [{ operator: 'Exists', tolerationSeconds: 5 }],
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: 'z', operator: 'In', values: ['1'] }] } },
            ],
          },
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
        priorityClassName: 'p',
      },
    },
    'dcff4cb4c',
    '6d77cbd84b',
  ],
  [
    'the rest of a pod',
    {
      spec: {
        serviceAccountName: 'sa',
        serviceAccount: 'sa',
        hostNetwork: true,
        dnsConfig: { nameservers: ['1.1.1.1'] },
        hostAliases: [{ ip: '1.2.3.4', hostnames: ['h'] }],
        imagePullSecrets: [{ name: 'x' }],
        readinessGates: [{ conditionType: 'a/b' }],
        enableServiceLinks: true,
        overhead: { cpu: '250m' },
        os: { name: 'linux' },
        initContainers: [{ name: 'i', image: 'i', resources: {}, restartPolicy: 'Always' }],
      },
    },
    '69455858db',
    '6478b46c47',
  ],
])(
  'the hash of a template with %s is as recorded',
  (_, { spec = {}, container = {} }, hash, afterCollision) => {
    const [first] = SIMPLE.spec?.containers ?? [];
    const containers = [{ name: 'c', ...first, ...container }];
    const template = { ...SIMPLE, spec: { ...SIMPLE.spec, ...spec, containers } };
    expect([podTemplateHash(template), podTemplateHash(template, 1)]).toEqual([hash, afterCollision]);
  },
);

it('does not depend on how nothing is said', () => {
  const { containers = [], ...spec } = SIMPLE.spec ?? { containers: [] };
  const wordy = {
    ...SIMPLE,
    spec: { ...spec, containers, volumes: [], nodeSelector: {}, hostNetwork: false },
  };
  expect(podTemplateHash(wordy)).toBe('556966dc98');
});

it('of the data of a revision is another one', () => {
  expect(revisionHash('{"spec":{}}')).not.toBe(revisionHash('{"spec":{}}', 0));
});
