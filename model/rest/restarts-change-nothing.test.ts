import { describe, expect, it } from 'vitest';
import { NOTHING_PAST, type PastFacts } from './facts.ts';
import { changesAcrossRestart, unmendedOf } from './restarts-change-nothing.ts';

const NOTE = 'behaviour.kubesim.dev/main';
const pod = (status: object, metadata: object = {}) => ({
  kind: 'Pod',
  metadata: { name: 'a', uid: 'a', resourceVersion: '7', ...metadata },
  status,
});

describe('a restart of everybody', () => {
  it('changes no object, however often it was written', () => {
    const [before, after] = [pod({ phase: 'Running' }), pod({ phase: 'Running' }, { resourceVersion: '9' })];
    expect(changesAcrossRestart({ 'Pod a': before }, { 'Pod a': after })).toEqual([]);
  });

  it('neither makes nor removes, nor changes what is said', () => {
    const [before, after] = [pod({ phase: 'Running' }), pod({ phase: 'Failed' })];
    expect(changesAcrossRestart({ 'Pod a': before }, { 'Pod a': after })).toEqual([
      'Pod a: when all began anew, status.phase became "Failed" from "Running"',
    ]);
    expect(changesAcrossRestart({ 'Pod a': before }, {})).toEqual(['Pod a went when all began anew']);
    expect(changesAcrossRestart({}, { 'Pod a': before })).toEqual(['Pod a came to be when all began anew']);
  });

  it('sets right what nothing else mends, and nothing beside it', () => {
    const [stale, right] = [pod({ phase: 'Running' }), pod({ phase: 'Failed' })];
    const before = { 'Pod a': stale, 'Pod b': { ...stale, metadata: { name: 'b', uid: 'b' } } };
    const after = { 'Pod a': right, 'Pod b': { ...right, metadata: { name: 'b', uid: 'b' } } };
    const isA = ({ metadata }: { readonly metadata: { readonly name?: string } }) => metadata.name === 'a';
    for (const past of [
      { ...NOTHING_PAST, lostUnseen: isA },
      { ...NOTHING_PAST, isOvertaken: isA },
      { ...NOTHING_PAST, isMiscounted: isA },
    ])
      expect(changesAcrossRestart(before, after, unmendedOf(before, past))).toEqual([
        'Pod b: when all began anew, status.phase became "Failed" from "Running"',
      ]);
    const none = { titles: new Set(), passedOver: new Set(), services: new Set(), namespaces: new Set() };
    expect(unmendedOf(before, NOTHING_PAST)).toEqual(none);
  });

  it('places a pod that was passed over, and no other', () => {
    const waits = { ...pod({ phase: 'Pending' }), spec: {} };
    const placed = { ...waits, spec: { nodeName: 'n' } };
    const [before, after] = [{ 'Pod a': waits }, { 'Pod a': placed }];
    const isA = ({ metadata }: { readonly metadata: { readonly name?: string } }) => metadata.name === 'a';
    const unmended = unmendedOf(before, { ...NOTHING_PAST, isPassedOver: isA });
    expect(changesAcrossRestart(before, after, unmended)).toEqual([]);
    expect(changesAcrossRestart(before, after)).toHaveLength(1);
  });

  it('makes Endpoints that were lost, and no others', () => {
    const service = { kind: 'Service', metadata: { name: 's', namespace: 'd', uid: 's' } };
    const before = { 'Service d/s': service };
    const after = { ...before, 'Endpoints d/s': { ...service, kind: 'Endpoints' } };
    const unmended = unmendedOf(before, { ...NOTHING_PAST, isLost: (_, name) => name === 'd/s' });
    expect(changesAcrossRestart(before, after, unmended)).toEqual([]);
    expect(changesAcrossRestart(before, after)).toEqual(['Endpoints d/s came to be when all began anew']);
  });

  it('makes what a namespace has lost, and no more', () => {
    const before = { 'Namespace d': { kind: 'Namespace', metadata: { name: 'd', uid: 'd' } } };
    const made = { kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'd', uid: 's' } };
    const after = { ...before, 'ServiceAccount d/default': made };
    const isLost: PastFacts['isLost'] = (kind, name) => kind === 'ServiceAccount' && name === 'd/default';
    const unmended = unmendedOf(before, { ...NOTHING_PAST, isLost });
    expect(changesAcrossRestart(before, after, unmended)).toEqual([]);
    expect(changesAcrossRestart(before, after)).toHaveLength(1);
    const pod = (namespace: string) => ({ kind: 'Pod', metadata: { name: 'p', namespace, uid: 'p' } });
    const pods = { ...after, 'Pod d/p': pod('d'), 'Pod e/p': pod('e') };
    expect(changesAcrossRestart(before, pods, unmended)).toEqual(['Pod e/p came to be when all began anew']);
  });

  it('makes slices of a service that nobody made, and of no other', () => {
    const service = { kind: 'Service', metadata: { name: 's', namespace: 'd', uid: 's' } };
    const slice = (of: string) => ({
      kind: 'EndpointSlice',
      metadata: { name: `${of}-1`, namespace: 'd', labels: { 'kubernetes.io/service-name': of } },
    });
    const before = { 'Service d/s': service };
    const after = { ...before, 'EndpointSlice d/s-1': slice('s'), 'EndpointSlice d/t-1': slice('t') };
    const past = { ...NOTHING_PAST, slicesAreStuck: () => true };
    expect(changesAcrossRestart(before, after, unmendedOf(before, past))).toEqual([
      'EndpointSlice d/t-1 came to be when all began anew',
    ]);
  });

  it('is not blamed for what time does, nor for what its owners say of it', () => {
    const before = pod({ restarts: 1 }, { annotations: { [NOTE]: '{}' }, ownerReferences: [{ uid: 's' }] });
    const after = { ...before, status: { restarts: 2 } };
    const set = (ready: number) => ({
      kind: 'ReplicaSet',
      metadata: { name: 's', uid: 's' },
      status: { ready },
    });
    const budget = (healthy: number) => ({
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      status: { healthy },
    });
    expect(
      changesAcrossRestart(
        { 'Pod a': before, 'ReplicaSet s': set(1), 'PodDisruptionBudget b': budget(1) },
        { 'Pod a': after, 'ReplicaSet s': set(0), 'PodDisruptionBudget b': budget(0) },
      ),
    ).toEqual([]);
  });

  it('is not blamed for what probes say again, nor for who goes by that', () => {
    const status = (since: string) => ({
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }],
    });
    const of = (probes: object, since: string) => ({
      ...pod(status(since), { ownerReferences: [{ uid: 's' }] }),
      spec: { containers: [{ name: 'main', ...probes }] },
    });
    const set = (since: string) => ({
      kind: 'StatefulSet',
      metadata: { name: 's', uid: 's' },
      status: status(since),
    });
    const world = (probes: object, since: string) => ({
      'Pod a': of(probes, since),
      'StatefulSet s': set(since),
    });
    for (const probe of ['readinessProbe', 'startupProbe'])
      expect(changesAcrossRestart(world({ [probe]: {} }, 'T'), world({ [probe]: {} }, 'U'))).toEqual([]);
    expect(
      changesAcrossRestart(world({ livenessProbe: {} }, 'T'), world({ livenessProbe: {} }, 'U')),
    ).toHaveLength(2);
  });

  it('is not blamed for the end of what was owned by one that goes and is held', () => {
    const object = (name: string, owners: readonly string[], metadata: object = {}) => ({
      kind: 'ConfigMap',
      metadata: { name, uid: name, ownerReferences: owners.map((uid) => ({ uid })), ...metadata },
    });
    const held = object('held', ['lord'], { deletionTimestamp: 'T' });
    const lord = object('lord', [], { deletionTimestamp: 'T' });
    const before = {
      'ConfigMap held': held,
      'ConfigMap lord': lord,
      'ConfigMap b': object('b', ['lord', 'lady']),
    };
    expect(changesAcrossRestart(before, { ...before, 'ConfigMap b': object('b', ['lady']) })).toEqual([]);
    const free = { 'ConfigMap b': object('b', ['lord', 'lady']) };
    expect(changesAcrossRestart(free, { 'ConfigMap b': object('b', ['lady']) })).toHaveLength(1);
  });

  it('may place whoever finds room once somebody was evicted', () => {
    const of = (name: string, priority: number, nodeName?: string) => ({
      kind: 'Pod',
      metadata: { name, uid: name },
      spec: { priority, ...(nodeName !== undefined && { nodeName }) },
      status: {},
    });
    const before = { 'Pod a': of('a', 10), 'Pod b': of('b', 0), 'Pod c': of('c', 0, 'n') };
    const [a, b] = [of('a', 10, 'n'), of('b', 0, 'n')];
    expect(changesAcrossRestart(before, { 'Pod a': a, 'Pod b': b })).toEqual([]);
    const there = { 'Pod c': before['Pod c'] };
    expect(
      changesAcrossRestart({ 'Pod b': before['Pod b'], ...there }, { 'Pod b': b, ...there }),
    ).toHaveLength(1);
    expect(changesAcrossRestart(before, { 'Pod a': before['Pod a'], 'Pod b': b })).toContain(
      'Pod c went when all began anew',
    );
  });

  it('may end tokens that have an end, and their signatures', () => {
    const token = (data: object) => ({
      kind: 'Secret',
      metadata: { name: 't', uid: 't' },
      type: 'bootstrap.kubernetes.io/token',
      data,
    });
    const signed = (data: object) => ({ kind: 'ConfigMap', metadata: { name: 'cluster-info' }, data });
    const [title, info] = ['Secret kube-system/t', 'ConfigMap kube-public/cluster-info'];
    const after = { [info]: signed({}) };
    const before = (data: object) => ({ [title]: token(data), [info]: signed({ jws: 'x' }) });
    expect(changesAcrossRestart(before({ expiration: 'x' }), after)).toEqual([]);
    expect(changesAcrossRestart(before({}), after)).toHaveLength(2);
  });

  it('may end requests for certificates that were decided', () => {
    const request = (conditions: readonly object[]) => ({
      kind: 'CertificateSigningRequest',
      metadata: { name: 'r' },
      status: { conditions },
    });
    const title = 'CertificateSigningRequest r';
    expect(changesAcrossRestart({ [title]: request([{ type: 'Denied' }]) }, {})).toEqual([]);
    expect(changesAcrossRestart({ [title]: request([]) }, {})).toEqual([`${title} went when all began anew`]);
  });

  it('may end Endpoints that had no service', () => {
    const endpoints = { kind: 'Endpoints', metadata: { name: 'e' } };
    const service = { kind: 'Service', metadata: { name: 'e' } };
    expect(changesAcrossRestart({ 'Endpoints d/e': endpoints }, {})).toEqual([]);
    expect(
      changesAcrossRestart(
        { 'Endpoints d/e': endpoints, 'Service d/e': service },
        { 'Service d/e': service },
      ),
    ).toHaveLength(1);
  });

  const placed = (name: string, priority: number, nodeName?: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: [], priority, ...(nodeName !== undefined && { nodeName }) },
  });

  it.each([
    ['a lesser one', 10, []],
    ['an equal one', 1_000, ['Pod default/a: when all began anew', 'Pod default/b went']],
  ])('a pod that waited for the next flush may be placed sooner, over %s', (_, priority, changes) => {
    const before = {
      'Pod default/a': placed('a', 1_000),
      'Pod default/b': placed('b', priority, 'worker-1'),
    };
    const after = { 'Pod default/a': placed('a', 1_000, 'worker-1') };
    const found = changesAcrossRestart(before, after);
    expect(found.map((text, index) => text.slice(0, changes[index]?.length))).toEqual(changes);
  });

  it.each([
    ['1 node(s) were unschedulable', true],
    [
      "1 node(s) didn't match Pod's node affinity/selector, 2 node(s) had untolerated taint {a/b: c, d}",
      true,
    ],
    ['1 Insufficient cpu, 1 node(s) were unschedulable', false],
    ["1 node(s) didn't have free ports for the requested pod ports", false],
  ])('a pod may be placed sooner of which was said: %s', (reasons, mayBe) => {
    const message = `0/3 nodes are available: ${reasons}. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling.`;
    const status = { conditions: [{ type: 'PodScheduled', status: 'False', message }] };
    const found = changesAcrossRestart(
      { 'Pod default/a': { ...placed('a', 0), status } },
      { 'Pod default/a': placed('a', 0, 'worker-1') },
    );
    expect(found).toHaveLength(mayBe ? 0 : 1);
  });
});
