/** What real servers of 1.29 to 1.36 say of old ways that they still take. */
import { describe, expect, it } from 'vitest';
import { findRelease } from '../../../api/release/releases.ts';
import { askedServer } from '../../../cli/golden/asked-server.ts';

const NAMESPACED = 'namespaces/default';
const CONTAINER = { name: 'c', image: 'i' };
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/c';

const warningsOf = (path: string, body: unknown, release = '1.31') =>
  askedServer({ release: findRelease(release) })('POST', `${path}?dryRun=All`, body).warnings;

interface Template {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly container?: object;
  readonly spec?: object;
}

const templateWarnings = ({ annotations = {}, container, spec }: Template, release?: string) =>
  warningsOf(
    `/apis/apps/v1/${NAMESPACED}/deployments`,
    {
      metadata: { name: 'x' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' }, annotations },
          spec: { containers: [{ ...CONTAINER, ...container }], ...spec },
        },
      },
    },
    release,
  ).map((text) => text.replace('spec.template.', ''));

describe('annotations of a pod template that have become members', () => {
  const profile = { type: 'RuntimeDefault' };
  const seccomp = { [SECCOMP_POD]: 'runtime/default', [SECCOMP_CONTAINER]: 'runtime/default' };
  const ofPod = `metadata.annotations[${SECCOMP_POD}]: non-functional in v1.27+; use the "seccompProfile" field instead`;
  const ofContainer = `metadata.annotations[${SECCOMP_CONTAINER}]: non-functional in v1.27+; use the "seccompProfile" field instead`;
  const ofAppArmor = `metadata.annotations[${APP_ARMOR}]: deprecated since v1.30; use the "appArmorProfile" field instead`;

  it('are warned of unless the member says the same', () => {
    expect(templateWarnings({ annotations: seccomp })).toEqual([ofPod, ofContainer]);
    expect(
      templateWarnings({ annotations: seccomp, spec: { securityContext: { seccompProfile: profile } } }),
    ).toEqual([ofContainer]);
    expect(
      templateWarnings({ annotations: seccomp, container: { securityContext: { seccompProfile: profile } } }),
    ).toEqual([ofPod]);
    const confined = { annotations: { [APP_ARMOR]: 'runtime/default' } };
    expect(templateWarnings(confined)).toEqual([ofAppArmor]);
    expect(
      templateWarnings({ ...confined, spec: { securityContext: { appArmorProfile: profile } } }),
    ).toEqual([]);
    expect(templateWarnings(confined, '1.29')).toEqual([]);
  });

  it('come after those that mean nothing any more', () => {
    const annotations = { ...seccomp, 'scheduler.alpha.kubernetes.io/critical-pod': '' };
    expect(templateWarnings({ annotations })).toEqual([
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      ofPod,
      ofContainer,
    ]);
  });

  it('are told of a pod as well, even of one that is refused', () => {
    const ask = askedServer();
    ask('POST', `/api/v1/${NAMESPACED}/serviceaccounts`, { metadata: { name: 'default' } });
    const pod = (profileText: string) =>
      ask('POST', `/api/v1/${NAMESPACED}/pods?dryRun=All`, {
        metadata: { name: 'x', annotations: { [APP_ARMOR]: profileText } },
        spec: { containers: [CONTAINER] },
      }).warnings;
    expect(pod('unconfined')).toEqual([ofAppArmor]);
    expect(pod('nonsense')).toEqual([ofAppArmor]);
  });
});

describe('values of a pod template', () => {
  it('are warned of where a variable hides another that it does not add to', () => {
    const env = (value: string) => ({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value },
      ],
    });
    const hides =
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply';
    expect(templateWarnings({ container: env('$(A)') })).toEqual([hides]);
    expect(templateWarnings({ container: env('$(A):2') })).toEqual([]);
  });

  it('are warned of where the overhead has parts of bytes', () => {
    expect(
      templateWarnings({ spec: { runtimeClassName: 'r', overhead: { memory: '1.5', cpu: '1.5' } } }),
    ).toEqual(['spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer']);
  });
});

it('jobs of very many indexes are warned of, and those of a schedule', () => {
  const spec = {
    completionMode: 'Indexed',
    completions: 100_001,
    parallelism: 10_001,
    template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } },
  };
  const job = (parallelism: number) =>
    warningsOf(`/apis/batch/v1/${NAMESPACED}/jobs`, {
      metadata: { name: 'x' },
      spec: { ...spec, parallelism },
    });
  expect(job(10_001)).toEqual([expect.stringMatching(/^spec: In Indexed Jobs with a number of completions/)]);
  expect(job(10_000)).toEqual([]);
  const scheduled = { schedule: '* * * * *', jobTemplate: { spec } };
  expect(
    warningsOf(`/apis/batch/v1/${NAMESPACED}/cronjobs`, { metadata: { name: 'x' }, spec: scheduled }),
  ).toEqual([expect.stringMatching(/^spec\.jobTemplate\.spec: In Indexed Jobs/)]);
});

it('addresses of a service that is a name elsewhere are ignored', () => {
  expect(
    warningsOf(`/api/v1/${NAMESPACED}/services`, {
      metadata: { name: 'x' },
      spec: { type: 'ExternalName', externalName: 'a.b', externalIPs: ['1.2.3.4'] },
    }),
  ).toEqual(['spec.externalIPs is ignored when spec.type is "ExternalName"']);
});

it('old ways of volumes are warned of from the release on that deprecated them', () => {
  const volume = (release: string) =>
    warningsOf(
      '/api/v1/persistentvolumes',
      {
        metadata: {
          name: 'x',
          annotations: {
            'volume.beta.kubernetes.io/storage-class': 'a',
            'volume.beta.kubernetes.io/mount-options': 'ro',
          },
        },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Recycle',
          nfs: { server: 's', path: '/p' },
        },
      },
      release,
    ).map((text) => text.split(':', 1)[0]);
  const [ofClass, ofOptions, ofRecycling] = [
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]',
    'metadata.annotations[volume.beta.kubernetes.io/mount-options]',
    'spec.persistentVolumeReclaimPolicy',
  ];
  expect(volume('1.29')).toEqual([ofClass]);
  expect(volume('1.30')).toEqual([ofClass, ofRecycling]);
  expect(volume('1.31')).toEqual([ofClass, ofOptions, ofRecycling]);
});

it('members whose gate is off in a release are dropped there', () => {
  const created = (release: string) => {
    const ask = askedServer({ release: findRelease(release) });
    const service = ask('POST', `/api/v1/${NAMESPACED}/services`, {
      metadata: { name: 'x' },
      spec: { ports: [{ port: 80 }], trafficDistribution: 'PreferClose' },
    });
    const job = ask('POST', `/apis/batch/v1/${NAMESPACED}/jobs`, {
      metadata: { name: 'x' },
      spec: {
        completionMode: 'Indexed',
        completions: 2,
        successPolicy: { rules: [{ succeededCount: 1 }] },
        template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } },
      },
    });
    return [service, job].map(({ body }) => Object.keys(Object(body['spec']) as object));
  };
  const [service, job] = created('1.31');
  expect(service).toContain('trafficDistribution');
  expect(job).toContain('successPolicy');
  const [earlierService, earlierJob] = created('1.30');
  expect(earlierService).not.toContain('trafficDistribution');
  expect(earlierJob).not.toContain('successPolicy');
  expect(created('1.36')[0]).toContain('trafficDistribution');
});
