import { expect, it } from 'vitest';
import { askAgent } from '../../cluster/agent-user.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { PodSecurityContext, PodSpec, Volume } from '../../api/types/core-v1.ts';

function world(): Cluster {
  const cluster = createCluster({ nodes: 1, controllers: ['service-account', 'root-ca-cert-publisher'] });
  cluster.settle();
  cluster.client.configMaps.create({ metadata: { name: 'settings' }, data: { a: 'one', b: 'two' } });
  return cluster;
}

const logs = (cluster: Cluster): string =>
  String(askAgent(cluster, 'worker-1', { method: 'GET', path: '/containerLogs/default/tester/main' })?.body);

const pod = (args: readonly string[], volume: Volume, spec: Partial<PodSpec> = {}) => ({
  metadata: { name: 'tester' },
  spec: {
    nodeName: 'worker-1',
    restartPolicy: 'Never' as const,
    containers: [{ name: 'main', image: 'agnhost', args, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    volumes: [volume],
    ...spec,
  },
});

/** What the test image's program says of the volume, line by line. */
function told(flags: readonly string[], volume: Omit<Volume, 'name'>, as: PodSecurityContext = {}) {
  const cluster = world();
  const args = ['mounttest', ...flags.map((flag) => `--${flag}`)];
  cluster.client.pods.create(pod(args, { name: 'v', ...volume }, { securityContext: as }));
  const hasEnded = (): boolean =>
    ['Succeeded', 'Failed'].includes(cluster.client.pods.get('tester').status?.phase ?? '');
  cluster.eventually(hasEnded, { within: minutes(1) });
  const { phase } = cluster.client.pods.get('tester').status ?? {};
  return [
    phase,
    ...logs(cluster)
      .split('\n')
      .filter((line) => line !== ''),
  ];
}

const items = [{ key: 'a', path: 'a', mode: 0o400 }];
const settings = { name: 'settings' };

it.each<[string, readonly string[], Omit<Volume, 'name'>, PodSecurityContext, readonly string[]]>([
  [
    'a file has the usual mode',
    ['file_mode=/v/a', 'file_owner=/v/a'],
    { configMap: settings },
    {},
    ['Succeeded', 'mode of file "/v/a": -rw-r--r--', 'owner UID of "/v/a": 0', 'owner GID of "/v/a": 0'],
  ],
  [
    'a file has the mode of its volume',
    ['file_mode=/v/b'],
    { configMap: { ...settings, defaultMode: 0o440 } },
    {},
    ['Succeeded', 'mode of file "/v/b": -r--r-----'],
  ],
  [
    'a file has a mode of its own',
    ['file_mode=/v/a', 'file_content=/v/a'],
    { configMap: { ...settings, items, defaultMode: 0o777 } },
    {},
    ['Succeeded', 'mode of file "/v/a": -r--------', 'content of file "/v/a": one'],
  ],
  [
    'the group of its pod may read it',
    ['file_mode=/v/a', 'file_owner=/v/a'],
    { configMap: { ...settings, items } },
    { runAsUser: 1000, fsGroup: 2000 },
    ['Succeeded', 'mode of file "/v/a": -r--r-----', 'owner UID of "/v/a": 0', 'owner GID of "/v/a": 2000'],
  ],
  [
    'a projected volume says it for all of its sources',
    ['file_mode=/v/b', 'fs_type=/v'],
    { projected: { defaultMode: 0o600, sources: [{ configMap: settings }] } },
    {},
    ['Succeeded', 'mount type of "/v": tmpfs', 'mode of file "/v/b": -rw-------'],
  ],
  [
    'a token is for who runs there',
    ['file_mode=/v/t', 'file_owner=/v/t'],
    { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    { runAsUser: 1000 },
    ['Succeeded', 'mode of file "/v/t": -rw-------', 'owner UID of "/v/t": 1000', 'owner GID of "/v/t": 0'],
  ],
  [
    'a token is for everybody where nobody says who runs there',
    ['file_mode=/v/t'],
    { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    {},
    ['Succeeded', 'mode of file "/v/t": -rw-r--r--'],
  ],
  [
    'an empty directory is open to all',
    ['fs_type=/v', 'file_mode=/v', 'file_perm=/v'],
    { emptyDir: {} },
    {},
    [
      'Succeeded',
      'mount type of "/v": 61267',
      'mode of file "/v": drwxrwxrwx',
      'perms of file "/v": -rwxrwxrwx',
    ],
  ],
  [
    'what is new belongs to the group of its directory',
    ['file_perm=/v/new', 'file_owner=/v/new', 'new_file_0660=/v/new', 'file_mode=/v'],
    { emptyDir: { medium: 'Memory' } },
    { runAsUser: 1000, fsGroup: 123 },
    [
      'Succeeded',
      'content of file "/v/new": mount-tester new file',
      'mode of file "/v": dgtrwxrwxrwx',
      'perms of file "/v/new": -rw-rw----',
      'owner UID of "/v/new": 1000',
      'owner GID of "/v/new": 123',
    ],
  ],
  [
    'who is not let in is told so',
    ['file_mode=/v/a', 'file_content=/v/a'],
    { configMap: { ...settings, items } },
    { runAsUser: 1000 },
    [
      'Failed',
      'mode of file "/v/a": -r--------',
      'error reading file content for "/v/a": open /v/a: permission denied',
    ],
  ],
  [
    'what is not there is said',
    ['file_content=/v/none', 'file_mode=/v/none', 'file_owner=/v/none', 'new_file_0644=/v/a'],
    { configMap: settings },
    {},
    [
      'Failed',
      'error writing new file "/v/a": open /v/a: read-only file system',
      'error from Stat("/v/none"): stat /v/none: no such file or directory',
      'error from stat("/v/none"): no such file or directory',
      'error reading file content for "/v/none": open /v/none: no such file or directory',
    ],
  ],
])('%s', (_what, flags, volume, as, lines) => {
  expect(told(flags, volume, as)).toEqual(lines);
});

it('a process sees what its volumes say by then, and stops when its time is over', () => {
  const cluster = world();
  const args = [
    'mounttest',
    '--break_on_expected_content=false',
    '--retry_time=300',
    '--file_content_in_loop=/v/a',
  ];
  cluster.client.pods.create(pod(args, { name: 'v', configMap: settings }));
  const says = (text: string) => (): boolean => logs(cluster).includes(text);
  cluster.eventually(says('content of file "/v/a": one'), { within: minutes(1) });
  cluster.client.configMaps.patch('settings', { type: 'merge', body: { data: { a: 'other' } } });
  cluster.eventually(says('content of file "/v/a": other'), { within: minutes(2) });
  cluster.client.configMaps.patch('settings', { type: 'merge', body: { data: { a: null } } });
  const missing = 'Error reading file /v/a: open /v/a: no such file or directory, retrying';
  cluster.eventually(says(missing), { within: minutes(2) });
  cluster.advance(minutes(5));
  expect(cluster.client.pods.get('tester').status?.phase).toBe('Failed');
});

it('programs and probes go on with what is there while the agent reaches nobody', () => {
  const cluster = world();
  const volumeMounts = [{ name: 'v', mountPath: '/v' }];
  const command = ['sh', '-c', 'while true; do cat /v/a; echo; sleep 10; done'];
  const livenessProbe = { exec: { command: ['cat', '/v/a'] }, periodSeconds: 10, failureThreshold: 1 };
  const containers = [{ name: 'main', image: 'busybox', command, volumeMounts, livenessProbe }];
  cluster.client.pods.create(pod([], { name: 'v', configMap: settings }, { containers }));
  cluster.eventually(() => logs(cluster).startsWith('one\n'), { within: minutes(1) });
  cluster.faults.partition('node/worker-1');
  cluster.client.configMaps.patch('settings', { type: 'merge', body: { data: { a: 'other' } } });
  const count = (): number => logs(cluster).split('\n').length;
  const before = count();
  cluster.advance(seconds(200));
  expect(count() - before).toBe(20);
  expect(logs(cluster)).not.toContain('other');
  cluster.faults.heal('node/worker-1');
  cluster.advance(minutes(2));
  expect(logs(cluster)).toMatch(/^(one\n)+(other\n)+$/);
  expect(cluster.client.pods.get('tester').status?.containerStatuses?.[0]?.restartCount).toBe(0);
});

it('nothing is put into volumes of a pod that has ended meanwhile', () => {
  const cluster = world();
  const command = ['sh', '-c', 'sleep 65; cat /v/a'];
  const containers = [
    { name: 'main', image: 'busybox', command, volumeMounts: [{ name: 'v', mountPath: '/v' }] },
  ];
  cluster.client.pods.create(pod([], { name: 'v', configMap: settings }, { containers }));
  const files = (): readonly string[] => cluster.machine('node/worker-1').disk.list('/var/lib/kubelet/pods');
  cluster.eventually(() => files().length > 0, { within: minutes(1) });
  const hasEnded = (): boolean => cluster.client.pods.get('tester').status?.phase === 'Succeeded';
  cluster.eventually(hasEnded, { within: minutes(2) });
  cluster.advance(minutes(1));
  expect([logs(cluster), files()]).toEqual(['one', []]);
});

it('a command reads what its volumes say by then', () => {
  const cluster = world();
  const volume = { name: 'v', configMap: settings };
  const volumeMounts = [{ name: 'v', mountPath: '/v' }];
  const command = ['sh', '-c', 'while true; do cat /v/a; echo; sleep 10; done'];
  const containers = [{ name: 'main', image: 'busybox', command, volumeMounts }];
  cluster.client.pods.create(pod([], volume, { containers }));
  cluster.eventually(() => logs(cluster).startsWith('one\n'), { within: minutes(1) });
  cluster.client.configMaps.patch('settings', { type: 'merge', body: { data: { a: 'other' } } });
  cluster.advance(seconds(75));
  expect(logs(cluster)).toMatch(/^(one\n)+(other\n)+$/);
});

it('stat and hexdump tell of a file', () => {
  const cluster = world();
  const dump = 'AAECAwQFBgcICQoLDA0ODxBh';
  cluster.client.configMaps.create({ metadata: { name: 'binary' }, binaryData: { dump } });
  const container = { name: 'main', image: 'busybox', command: ['sleep', '9999'] };
  const containers = [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }];
  const volume = { name: 'v', configMap: { name: 'binary', defaultMode: 0o640 } };
  cluster.client.pods.create(pod([], volume, { containers, securityContext: { fsGroup: 7 } }));
  const isRunning = (): boolean => cluster.client.pods.get('tester').status?.phase === 'Running';
  cluster.eventually(isRunning, { within: minutes(1) });
  const path = '/run/default/tester/main';
  const run = (cmd: string): string =>
    String(askAgent(cluster, 'worker-1', { method: 'POST', path, query: { cmd } })?.body);
  expect(run('stat -c %a:%A:%u:%U:%g:%s:%n /v/dump')).toBe('640:-rw-r-----:0:root:7:18:/v/dump\n');
  expect(run('stat -c %A:%F /v')).toBe('drwxrwsrwx:directory\n');
  expect(run('stat -c %a /none')).toContain("stat: can't stat '/none': No such file or directory\n");
  expect(run('stat /v/dump')).toContain('not modelled');
  expect(run('hexdump -C /v/dump')).toBe(
    '00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  |................|\n' +
      '00000010  10 61                                             |.a|\n' +
      '00000012\n',
  );
});

it('shells and programs read only what they may', () => {
  const cluster = world();
  const script = 'cat /v/a; cat < /v/a; echo $?; grep o /v/a; cat /v/b';
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', script] };
  const containers = [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }];
  const both = [...items, { key: 'b', path: 'b', mode: 0o040 }];
  const volume = { name: 'v', configMap: { ...settings, items: both } };
  cluster.client.pods.create(pod([], volume, { containers, securityContext: { runAsUser: 1000 } }));
  cluster.advance(minutes(1));
  expect(logs(cluster)).toBe(
    'cat: /v/a: Permission denied\n' +
      "sh: can't open /v/a: Permission denied\n2\n" +
      'grep: /v/a: Permission denied\ntwo',
  );
});
