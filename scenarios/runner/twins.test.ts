import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { loadScenario, type LoadedScenario } from '../language/load-scenario.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
import { endDifferences } from './end-state.ts';
import { executeRun } from './execute-run.ts';
import { type RunToEnd, unlikeTwin } from './twins.ts';

const configMap = (name: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'default',
    uid: `11111111-1111-4111-8111-${name.padEnd(12, '0')}`,
    resourceVersion: '7',
  },
  ...extra,
});

const request = (certificate: string) => ({
  'CertificateSigningRequest r': { metadata: { name: 'r' }, status: { certificate } },
});
const deployment = (conditions: readonly object[]) => ({
  'Deployment default/web': { metadata: { name: 'web', namespace: 'default' }, status: { conditions } },
});
const progress = (message: string, reason = 'NewReplicaSetAvailable') => ({
  type: 'Progressing',
  status: 'True',
  reason,
  message,
});

describe('two ends', () => {
  test('are alike up to uids, versions, times, addresses and drawn names', () => {
    const of = (name: string, at: string, address: string) => ({
      [`Pod default/${name}`]: {
        metadata: { name, generateName: 'web-', resourceVersion: at },
        status: { podIP: address, startTime: `2025-01-01T00:00:${at}Z` },
      },
      'Endpoints default/web': { subsets: [{ addresses: [{ ip: address, targetRef: { name } }] }] },
      [`Event default/${name}.1`]: { count: Number(at) },
    });
    expect(endDifferences(of('web-abcde', '10', '10.0.0.1'), of('web-vwxyz', '12', '10.0.0.9'))).toEqual([]);
  });

  test('are alike, whether Endpoints tell of a last change or of none, but not with another mark', () => {
    const of = (annotations: object) => ({
      'Endpoints default/web': { metadata: { name: 'web', namespace: 'default', ...annotations } },
    });
    const told = of({
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2025-01-01T00:00:01Z' },
    });
    expect(endDifferences(told, of({}))).toEqual([]);
    expect(endDifferences(told, of({ annotations: { mine: 'a' } }))).toHaveLength(1);
  });

  test('differ by what is there and by what it says', () => {
    const left = {
      'ConfigMap default/a': configMap('a', { data: { n: '1' } }),
      'ConfigMap default/b': configMap('b'),
    };
    const right = {
      'ConfigMap default/a': configMap('a', { data: { n: '2' } }),
      'ConfigMap default/c': configMap('c'),
    };
    expect(endDifferences(left, right)).toEqual([
      'ConfigMap default/a differs: data.n is "1", and "2" at the end of the twin',
      'ConfigMap default/b is not there at the end of the twin',
      'ConfigMap default/c is there only at the end of the twin',
    ]);
  });

  test('differ in number, also where some of those with drawn names are the same to the letter', () => {
    const pod = (name: string) => ({ [`Pod default/${name}`]: { metadata: { name, generateName: 'web-' } } });
    expect(endDifferences({ ...pod('web-a'), ...pod('web-b') }, pod('web-a'))).toEqual([
      'of Pod default/web-* there are 2, and 1 at the end of the twin',
    ]);
  });

  test('certificates are alike, whatever their numbers are, but not to have one', () => {
    const [one, other] = ['-----BEGIN CERTIFICATE-----\na', '-----BEGIN CERTIFICATE-----\nb'].map((text) =>
      btoa(text),
    );
    expect(endDifferences(request(one ?? ''), request(other ?? ''))).toEqual([]);
    expect(endDifferences(request(one ?? ''), request(''))).toHaveLength(1);
  });

  test('a rollout is over, whichever set it names that nobody looked at', () => {
    const [first, second] = [
      deployment([progress('"a" has progressed')]),
      deployment([progress('"b" has progressed')]),
    ];
    expect(endDifferences(first, second)).toEqual([]);
    const late = deployment([progress('"b" has timed out', 'ProgressDeadlineExceeded')]);
    expect(endDifferences(first, late)).toHaveLength(1);
  });
});

async function run(spec: string): Promise<RunRecord> {
  const head = 'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\n';
  const result = loadScenario('sample.yaml', `${head}spec:\n${spec}`);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return executeRun(result.loaded, { seed: 1, makeWorld: createClusterWorld });
}

const CREATE =
  '    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default }, data: { n: one } }\n      expect: { answer: any }\n';

describe('a run with a twin', () => {
  test('passes where both end alike', async () => {
    const twins = '  twins: [{ restart: controller-manager/0, times: 2 }]\n';
    expect(await run(`${twins}  steps:\n${CREATE}    - advance: 10s\n`)).toMatchObject({ verdict: 'passed' });
  });

  test('fails where they do not, and says with which fault and where they differ', async () => {
    const twins = '  twins: [{ fault: { failRequests: { status: 503 } }, for: 2m, times: 2 }]\n';
    const { verdict, failure } = await run(
      `${twins}  steps:\n${CREATE}    - advance: 1m\n${CREATE.replace('name: a', 'name: b')}`,
    );
    expect(verdict).toBe('failed');
    expect(failure).toMatchObject({ property: 'twins end alike', line: 5 });
    expect(failure?.details.join('\n')).toMatch(
      /the same run with `failRequests.*` for 2m at .*s does not end alike: ConfigMap default\/b is not there at the end of the twin/,
    );
  });

  test('is looked at alone where another that is struck alike is known', async () => {
    const story = loaded(
      'sample.yaml',
      'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\nspec:\n' +
        '  twins: [{ fault: { failRequests: { status: 503 } }, for: 1s, times: 1 }, { fault: { failRequests: { status: 429 } }, for: 1s, times: 1 }]\n' +
        `  steps:\n${CREATE}`,
    );
    const seen: unknown[] = [];
    const end = { 'ConfigMap default/a': configMap('a') };
    const runToEnd: RunToEnd = async ({ strikes = [], observer }) => {
      const of = (kind: string, subject: string) => ({
        at: 1,
        actor: 'apiserver/0',
        kind,
        subject,
        event: 1,
        text: '',
        cause: 0,
        touches: [],
      });
      observer?.recorded(0, () => of('message', 'u>apiserver/0'));
      observer?.recorded(1, () => of('POST', 'a'));
      const [status] = strikes.map(({ fault }) => fault.failRequests?.status);
      seen.push(status);
      return { failure: undefined, end: status === 429 ? {} : end };
    };
    const found = await unlikeTwin(story, 1, runToEnd);
    expect(seen).toEqual([undefined, 503, 429]);
    seen.length = 0;
    expect((await unlikeTwin(story, 1, runToEnd, found))?.failure.details).toEqual(found?.failure.details);
    expect(seen).toEqual([undefined, 429]);
  });

  test('in which nothing goes wrong fails where a fault has left a mark', async () => {
    const twins = '  twins: [{ faultless: true }]\n';
    const struck = (length: string): string =>
      `${twins}  steps:\n    - fault: { failRequests: { status: 503 } }\n      for: ${length}\n    - advance: 10s\n${CREATE}`;
    expect(await run(struck('5s'))).toMatchObject({ verdict: 'passed' });
    const { failure } = await run(struck('20s'));
    expect(failure).toMatchObject({ property: 'twins end alike' });
    expect(failure?.details[0]).toBe(
      'the same run without its faults does not end alike: ConfigMap default/a is not there at the end of the twin',
    );
  });

  test('in which nothing goes wrong has to keep its promises', async () => {
    const spec =
      '  twins: [{ faultless: true }]\n  steps:\n    - fault: { failRequests: { status: 503 } }\n      for: 5s\n' +
      `${CREATE}    - get: { kind: ConfigMap, name: a }\n      expect: { status: { $oneOf: [404, 503] } }\n    - advance: 10s\n`;
    expect((await run(spec)).failure?.details[0]).toMatch(
      /the same run without its faults does not end alike: get ConfigMap a/,
    );
  });
});

test('what is left of a story whose twin ends otherwise has its seed, and ends otherwise by itself', async () => {
  const file = join(import.meta.dirname, '../controllers/copies-by-count.yaml');
  const property = loaded(file, readFileSync(file, 'utf8'));
  const options = { seed: 4, makeWorld: createClusterWorld, looksCloser: false };
  const { found } = await executeRun(property, { ...options, shrinkAttempts: 20 });
  const small = loaded(file, found?.smallest?.text ?? '');
  expect(small.scenario.spec.seed).toBe(4);
  expect((await executeRun(small, options)).failure?.property).toBe(found?.property);
});

function loaded(file: string, text: string): LoadedScenario {
  const result = loadScenario(file, text);
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join());
  return result.loaded;
}
