import { describe, expect, test } from 'vitest';
import type { GoldenCase } from '../../../model/golden/replay/golden-case.ts';
import { Cleaner } from '../../../model/golden/replay/cleanup.ts';
import { VirtualServer } from '../golden/virtual-server.ts';
import { runCampaign } from './campaign.ts';
import { casesOfScenarios } from './from-scenario.ts';
import { AREAS, drawCase } from './generate/draw-case.ts';
import { refusalOf } from './guard.ts';
import { findingsOf } from './rules.ts';
import { shrink } from './shrink.ts';
import { Verifier } from './verification.ts';
import { withoutDumps } from './without-dumps.ts';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const drawn = (area: (typeof AREAS)[number], count: number): readonly GoldenCase[] =>
  Array.from({ length: count }, (_, index) => drawCase({ area, seed: 5, index }));

test.each(AREAS)('a sequence of %s is the same whatever was drawn before', (area) => {
  const texts = (): readonly string[] =>
    Array.from({ length: 250 }, (_, index) => JSON.stringify(drawCase({ area, seed: 51, index })));
  expect(texts()).toEqual(texts());
});

describe('the guard of a cluster that is not ours', () => {
  test.each([
    ['GET', '/api/v1/pods', undefined],
    ['POST', '/api/v1/namespaces/kubesim-verify-1/pods', {}],
    ['DELETE', '/api/v1/namespaces/kubesim-verify-1', undefined],
    ['POST', '/api/v1/namespaces', { metadata: { name: 'kubesim-verify-2' } }],
    ['PUT', '/apis/storage.k8s.io/v1/csidrivers/kubesim-verify-u1', {}],
    ['POST', '/api/v1/namespaces/default/pods?dryRun=All', {}],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {}],
    ['DELETE', '/api/v1/nodes?dryRun=All', undefined],
    ['DELETE', '/api/v1/nodes', { dryRun: ['All'] }],
  ])('%s %s is sent', (method, path, body) => {
    expect(refusalOf(method, path, body && bytes(body))).toBeUndefined();
  });

  test.each([
    ['POST', '/api/v1/namespaces/default/pods', {}],
    ['DELETE', '/api/v1/namespaces/default', undefined],
    ['DELETE', '/api/v1/nodes', undefined],
    ['DELETE', '/api/v1/nodes/worker', undefined],
    ['POST', '/api/v1/namespaces', { metadata: { name: 'mine' } }],
    ['POST', '/api/v1/persistentvolumes', 'no object'],
    ['DELETE', '/api/v1/namespaces/default/pods?x=dryRun=All', undefined],
    ['DELETE', '/api/v1/nodes?dryRun=All', {}],
    ['DELETE', '/api/v1/nodes?dryRun=All', 'dryRun: [All]'],
    ['DELETE', '/api/v1/nodes?dryRun=All', { dryRun: [] }],
    ['POST', '/api/v1/namespaces/default/pods?dryRun=All&dryRun=', {}],
  ])('%s %s is not', (method, path, body) => {
    expect(refusalOf(method, path, body === undefined ? undefined : bytes(body))).toMatch(/is not sent/);
  });
});

describe('generated sequences', () => {
  test.each(AREAS)('of %s are the same for the same seed, and differ from one another', (area) => {
    expect(drawn(area, 20)).toEqual(drawn(area, 20));
    expect(new Set(drawn(area, 20).map((golden) => JSON.stringify(golden.steps))).size).toBeGreaterThan(10);
  });

  test('touch nothing that is not theirs', () => {
    for (const area of AREAS) {
      for (const { steps } of drawn(area, 60)) {
        for (const { request } of steps) {
          if (!request) continue;
          const path = request.path
            .replaceAll('${ns}', 'kubesim-verify-1')
            .replaceAll('${unique}', 'kubesim-verify-u1');
          const query = request.query?.['dryRun'] === undefined ? '' : '?dryRun=All';
          const body = JSON.stringify(request.body ?? {}).replaceAll('${unique}', 'kubesim-verify-u1');
          expect(refusalOf(request.method, path + query, new TextEncoder().encode(body))).toBeUndefined();
        }
      }
    }
  });
});

describe('a verification', () => {
  const settings = { shrinkBudget: 0 };

  test('of two equal servers finds nothing, whatever is asked', () => {
    const servers = { real: new VirtualServer(), simulated: new VirtualServer(), finalizesNamespaces: true };
    const verifier = new Verifier(servers, 'eq');
    const { rules, failures, tally } = runCampaign(
      AREAS.flatMap((area) => drawn(area, 12)),
      verifier,
      settings,
    );
    expect({ rules: rules.map(({ rule }) => rule), failures }).toEqual({ rules: [], failures: [] });
    expect(Object.values(tally).reduce((sum, { answers }) => sum + answers, 0)).toBeGreaterThan(100);
  });

  test('of a server with other features names the rule, with the smallest example', () => {
    const real = new VirtualServer({ featureGates: 'JobManagedBy=true' });
    const verifier = new Verifier({ real, simulated: new VirtualServer(), finalizesNamespaces: true }, 'ne');
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const create = (name: string, spec: object) => ({
      request: {
        method: 'POST',
        path: '/apis/batch/v1/namespaces/${ns}/jobs',
        body: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template, ...spec } },
      },
    });
    const steps = [create('a', {}), create('b', { managedBy: 'example.com/a', suspend: true })];
    const { rules } = runCampaign([{ name: 'one', area: 'batch/v1/jobs', steps }], verifier, {
      shrinkBudget: 60,
    });
    expect(rules.map(({ rule }) => rule)).toEqual(['batch/v1/jobs | /body/spec/managedBy | missing']);
    expect(rules[0]?.example.steps).toHaveLength(1);
    expect(JSON.stringify(rules[0]?.example.steps[0]?.request)).not.toContain('suspend');
  });
});

test('a review that was answered is not taken away: it is kept nowhere', () => {
  const asked: string[] = [];
  const cleaner = new Cleaner((method, path) => void asked.push(`${method} ${path}`), false);
  const made = { status: 201, body: { metadata: { name: 'a' } } };
  cleaner.noteAnswer('POST', '/apis/authentication.k8s.io/v1/tokenreviews', made);
  cleaner.noteAnswer('POST', '/api/v1/namespaces/n/configmaps', made);
  cleaner.clean();
  expect(asked).toEqual(['DELETE /api/v1/namespaces/n/configmaps/a?gracePeriodSeconds=0']);
});

test('a refusal is named by the causes that only one of the two gives', () => {
  const refused = (...causes: readonly (readonly [string, string])[]) => ({
    status: 422,
    body: { message: 'm', details: { causes: causes.map(([field, message]) => ({ field, message })) } },
  });
  const real = refused(['spec.a[3]', 'Invalid value: "x": must be 5']);
  const found = findingsOf('k', { real, simulated: refused() }, [
    { step: 1, action: '', path: '/body', expected: 1, got: 2 },
  ]);
  expect(found.map(({ rule }) => rule)).toEqual([
    'k | error missing | spec.a[] | Invalid value: "…": must be N',
  ]);
});

test('a case is shrunk to the step and the member that show the rule', () => {
  const steps = [
    { request: { method: 'GET', path: '/a' } },
    { request: { method: 'POST', path: '/b', body: { x: 1, y: { z: 2 } } } },
  ];
  const shows = ({ steps: left }: GoldenCase): boolean => JSON.stringify(left).includes('"z":2');
  const smallest = shrink({ name: 'n', area: 'a', steps }, shows, 50);
  expect(smallest.steps).toEqual([{ request: { method: 'POST', path: '/b', body: { y: { z: 2 } } } }]);
});

test('a dump of structs does not count, what stands before it does', () => {
  const real = { body: { message: 'spec: Forbidden: no\n  core.PodSpec{\n...' } };
  expect(withoutDumps(real, { body: { message: 'spec: Forbidden: no\n' } })).toEqual([
    { body: { message: 'spec: Forbidden: no' } },
    { body: { message: 'spec: Forbidden: no' } },
  ]);
});

test('a server that names its program as manager of its own writes is as good as any', () => {
  const of = (manager: string) => ({ body: { metadata: { managedFields: [{ manager }] } } });
  const own = of('kube-apiserver');
  expect(withoutDumps(of('kube-apiserver-1.31'), own)).toEqual([own, own]);
  expect(withoutDumps(of('kubectl'), own)).toEqual([of('kubectl'), own]);
});

test('the requests of a scenario become a case, and the rest is named', () => {
  const text = `
apiVersion: kubesim.dev/v1
kind: Scenario
metadata: { name: s }
spec:
  steps:
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default } }
    - advance: 5s
    - patch: { kind: ConfigMap, name: a, patch: { data: { n: '1' } } }
`;
  const [first] = casesOfScenarios('s.yaml', text);
  expect(first?.golden.steps.map(({ request }) => `${request?.method} ${request?.path}`)).toEqual([
    'POST /api/v1/namespaces/${ns}/configmaps',
    'PATCH /api/v1/namespaces/${ns}/configmaps/a',
  ]);
  expect(JSON.stringify(first?.golden.steps)).not.toContain('default');
  expect(first?.leftOut).toEqual(['step 2: advance']);
});

test('the name of the program that serves does not count, nor in an object that a message shows', () => {
  const message = (name: string): { body: unknown } => ({
    body: { message: `"{\\"manager\\":\\"${name}\\"}"` },
  });
  const [real, simulated] = withoutDumps(message('kube-apiserver-1.31'), message('kube-apiserver'));
  expect(real).toEqual(simulated);
});
