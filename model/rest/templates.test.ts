import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { RestView } from './rest-view.ts';
import { templatesRest } from './templates.ts';

const DAEMONS = ['not-ready:NoExecute', 'unreachable:NoExecute', 'disk-pressure:NoSchedule'].concat(
  ['memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => `${key}:NoSchedule`),
);
const tolerations = DAEMONS.map((text) => {
  const [key = '', effect] = text.split(':');
  return { key: `node.kubernetes.io/${key}`, operator: 'Exists', effect };
});

function problems(
  owner: object,
  pod: { readonly metadata?: object; readonly spec?: object } = {},
): readonly string[] {
  const { kind } = owner as { readonly kind: string };
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'i:1' }] },
  };
  const { spec, ...rest } = owner as { readonly spec?: object };
  const made = {
    apiVersion: 'apps/v1',
    metadata: { name: 'o', namespace: 'd', uid: 'o' },
    ...rest,
    spec: { template, ...spec },
  };
  const metadata = {
    name: 'o-0',
    namespace: 'd',
    labels: { app: 'a' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'o', uid: 'o', controller: true }],
    ...pod.metadata,
  };
  const of = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec, ...pod.spec } };
  return templatesRest(new RestView([made, of] as object[] as ApiObject[], { nowMs: 0 }));
}

describe('pods at rest', () => {
  it('have labels, containers and tolerations of their template, each once', () => {
    expect(problems({ kind: 'ReplicaSet' })).toEqual([]);
    expect(problems({ kind: 'ReplicaSet' }, { metadata: { labels: { app: 'b' } } })).toEqual([
      'Pod d/o-0 of ReplicaSet d/o has not the label app',
    ]);
    const twice = { tolerations: [{ key: 'a' }, { key: 'a' }], containers: [{ name: 'c', image: 'i:2' }] };
    expect(problems({ kind: 'ReplicaSet' }, { spec: twice })).toEqual([
      'Pod d/o-0 of ReplicaSet d/o runs c=i:2',
      'Pod d/o-0 of ReplicaSet d/o tolerates the same twice',
    ]);
  });

  it('of a DaemonSet tolerate what befalls nodes, once all are of the newest template', () => {
    expect(problems({ kind: 'DaemonSet' }, { spec: { tolerations } })).toEqual([]);
    expect(problems({ kind: 'DaemonSet' })).toHaveLength(DAEMONS.length);
    const status = { updatedNumberScheduled: 0, currentNumberScheduled: 1 };
    expect(problems({ kind: 'DaemonSet', status })).toEqual([]);
  });

  it('of a StatefulSet have their names, and use their claims', () => {
    const labels = {
      app: 'a',
      'statefulset.kubernetes.io/pod-name': 'o-0',
      'apps.kubernetes.io/pod-index': '0',
      'controller-revision-hash': 'r',
    };
    const set = {
      kind: 'StatefulSet',
      spec: { volumeClaimTemplates: [{ metadata: { name: 'v' } }] },
      status: { updateRevision: 'r' },
    };
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'v-o-0' } }];
    expect(problems(set, { metadata: { labels }, spec: { hostname: 'o-0', volumes } })).toEqual([]);
    expect(problems(set, { metadata: { labels }, spec: { hostname: 'o-1', volumes: [] } })).toEqual([
      'Pod d/o-0 of StatefulSet d/o has another host name',
      'Pod d/o-0 of StatefulSet d/o does not use its claim of v',
    ]);
  });

  it('of an indexed Job are told which they are', () => {
    const note = { 'batch.kubernetes.io/job-completion-index': '1' };
    const job = { kind: 'Job', spec: { completionMode: 'Indexed', completions: 2 } };
    const containers = [{ name: 'c', image: 'i:1', env: [{ name: 'JOB_COMPLETION_INDEX' }] }];
    const metadata = { labels: { app: 'a', ...note }, annotations: note };
    expect(problems(job, { metadata, spec: { hostname: 'o-1', containers } })).toEqual([]);
    expect(problems(job, { metadata: { annotations: note } })).toHaveLength(3);
  });
});
