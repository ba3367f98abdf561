import { describe, expect, it } from 'vitest';
import { askAgent } from '../../cluster/agent-user.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { PodSpec } from '../../api/types/core-v1.ts';

const CONTROLLERS = ['service-account', 'root-ca-cert-publisher', 'persistentvolume-binder-controller'];

function world(): Cluster {
  const cluster = createCluster({ nodes: 2, controllers: CONTROLLERS });
  cluster.settle();
  return cluster;
}

function start(cluster: Cluster, spec: Partial<PodSpec>, { name = 'web', node = 'worker-1' } = {}): void {
  cluster.client.pods.create({
    metadata: { name, labels: { tier: 'front', app: 'web' } },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'app:1' }], ...spec },
  });
  const isRunning = (): boolean => cluster.client.pods.get(name).status?.phase === 'Running';
  cluster.eventually(isRunning, { within: minutes(1) });
}

const containers = (...mounts: readonly { name: string; mountPath: string; subPath?: string }[]) => [
  { name: 'main', image: 'app:1', volumeMounts: mounts },
];

const run = (cluster: Cluster, cmd: string, path = 'web/main', node = 'worker-1'): string =>
  String(askAgent(cluster, node, { method: 'POST', path: `/run/default/${path}`, query: { cmd } })?.body);

describe('a container sees', () => {
  it('what its ConfigMaps and Secrets say, and within a minute what they say by then', () => {
    const cluster = world();
    cluster.client.configMaps.create({ metadata: { name: 'settings' }, data: { mode: 'dark', size: '3' } });
    cluster.client.secrets.create({ metadata: { name: 'password' }, data: { key: 'czNjcmV0' } });
    start(cluster, {
      containers: containers(
        { name: 'settings', mountPath: '/etc/settings' },
        { name: 'settings', mountPath: '/opt/mode', subPath: 'mode' },
        { name: 'password', mountPath: '/etc/password/' },
      ),
      volumes: [
        { name: 'settings', configMap: { name: 'settings' } },
        { name: 'password', secret: { secretName: 'password', items: [{ key: 'key', path: 'a/b' }] } },
      ],
    });
    expect(run(cluster, 'ls /etc/settings')).toBe('mode\nsize\n');
    expect(run(cluster, 'cat /etc/settings/mode /opt/mode')).toBe('darkdark');
    expect(run(cluster, 'cat /etc/password/a/b')).toBe('s3cret');
    expect(run(cluster, 'touch /etc/settings/new')).toContain('Read-only file system');
    cluster.client.configMaps.patch('settings', {
      type: 'merge',
      body: { data: { mode: 'light', size: null } },
    });
    expect(run(cluster, 'cat /etc/settings/mode')).toBe('dark');
    cluster.advance(seconds(61));
    expect(run(cluster, 'ls /etc/settings')).toBe('mode\n');
    // What is mounted by itself stays.
    expect(run(cluster, 'cat /etc/settings/mode /opt/mode')).toBe('lightdark');
  });

  it('what its pod is, and a token that says so', () => {
    const cluster = world();
    start(cluster, {
      containers: containers({ name: 'info', mountPath: '/etc/info' }),
      volumes: [
        {
          name: 'info',
          downwardAPI: {
            items: [
              { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
              { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
            ],
          },
        },
      ],
    });
    expect(run(cluster, 'cat /etc/info/labels')).toBe('app="web"\ntier="front"');
    expect(run(cluster, 'cat /etc/info/name')).toBe('web');
    const secrets = '/var/run/secrets/kubernetes.io/serviceaccount';
    expect(run(cluster, `ls ${secrets}`)).toBe('ca.crt\nnamespace\ntoken\n');
    expect(run(cluster, `cat ${secrets}/namespace`)).toBe('default');
    const [, payload = ''] = run(cluster, `cat ${secrets}/token`).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      sub: 'system:serviceaccount:default:default',
      'kubernetes.io': { pod: { name: 'web' } },
    });
  });

  it('what other containers of its pod write, until the pod is gone', () => {
    const cluster = world();
    const mount = { name: 'scratch', mountPath: '/data' };
    const pod = {
      containers: [
        { name: 'main', image: 'app:1', volumeMounts: [mount] },
        { name: 'side', image: 'app:1', volumeMounts: [{ ...mount, mountPath: '/in', readOnly: true }] },
      ],
      volumes: [{ name: 'scratch', emptyDir: {} }],
    };
    start(cluster, pod);
    expect(run(cluster, 'ls /data')).toBe('');
    run(cluster, 'touch /data/a');
    expect(run(cluster, 'ls /in', 'web/side')).toBe('a\n');
    expect(run(cluster, 'rm /in/a', 'web/side')).toContain('Read-only file system');
    cluster.client.pods.delete('web');
    cluster.advance(minutes(1));
    start(cluster, pod);
    expect(run(cluster, 'ls /data')).toBe('');
  });

  it('what is on its node, and the pods there after it', () => {
    const cluster = world();
    const pod = {
      containers: containers({ name: 'host', mountPath: '/host' }),
      volumes: [{ name: 'host', hostPath: { path: '/srv/data' } }],
    };
    start(cluster, pod);
    run(cluster, 'touch /host/a');
    start(cluster, pod, { name: 'other', node: 'worker-2' });
    expect(run(cluster, 'ls /host', 'other/main', 'worker-2')).toBe('');
    start(cluster, pod, { name: 'next' });
    expect(run(cluster, 'ls /host', 'next/main')).toBe('a\n');
  });

  it('what its claim holds, on whatever node', () => {
    const cluster = world();
    const size = { storage: '1Gi' };
    cluster.client.persistentVolumes.create({
      metadata: { name: 'disk' },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: size,
        storageClassName: 'manual',
        nfs: { server: 'files', path: '/exports' },
      },
    });
    cluster.client.persistentVolumeClaims.create({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteMany'], storageClassName: 'manual', resources: { requests: size } },
    });
    cluster.advance(seconds(5));
    const pod = {
      containers: containers({ name: 'data', mountPath: '/data', subPath: 'shop' }),
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    };
    start(cluster, pod);
    run(cluster, 'touch /data/orders');
    cluster.client.pods.delete('web');
    cluster.advance(minutes(1));
    start(
      cluster,
      { ...pod, containers: containers({ name: 'data', mountPath: '/all' }) },
      { node: 'worker-2' },
    );
    expect(run(cluster, 'ls /all/shop', 'web/main', 'worker-2')).toBe('orders\n');
  });
});
