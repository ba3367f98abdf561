/** Words that come late, in whole runs. */
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { loadScenario } from '../language/load-scenario.ts';
import { executeRun } from '../runner/execute-run.ts';
import { createClusterWorld } from '../world/cluster-world.ts';

async function run(steps: readonly string[]): Promise<RunRecord> {
  const head = 'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\nspec:\n';
  const cluster = '  cluster: { apiServers: 2, controllers: [serviceaccount-controller] }\n';
  const text = `${head}${cluster}  steps:\n${steps.map((step) => `    - ${step}\n`).join('')}`;
  const result = loadScenario('sample.yaml', text);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return executeRun(result.loaded, { seed: 1, makeWorld: createClusterWorld });
}

const DEPLOYMENT =
  '{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web, namespace: default }, spec: { selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } } } }';
const PATH = '/apis/apps/v1/namespaces/default/deployments/web/status';
const say = (status: string, second: number, server: number): string => {
  const condition = `{ type: Available, status: '${status}', lastTransitionTime: '2025-01-01T00:00:0${second}Z' }`;
  return `request: { method: PATCH, path: ${PATH}, headers: { content-type: application/merge-patch+json }, body: { status: { conditions: [${condition}] } } }\n      server: apiserver/${server}\n      expect: { answer: any }`;
};
const HOLD = 'fault: { hold: { from: user/test, to: apiserver/0, way: forth } }';
const RELEASE = 'fault: { release: { from: user/test, to: apiserver/0, way: forth } }';
const LATER = [say('False', 2, 1), say('True', 3, 1)];

describe('a condition that is said to have turned earlier than it did', () => {
  test('is no lie where the word was sent before, and comes late', async () => {
    const steps = [`create: ${DEPLOYMENT}`, say('True', 1, 1), HOLD, say('True', 1, 0), ...LATER, RELEASE];
    expect((await run([...steps, 'advance: 5s'])).failure).toBeUndefined();
  });

  test('is one where it was sent afterwards', async () => {
    const steps = [`create: ${DEPLOYMENT}`, say('True', 1, 1), ...LATER, say('True', 1, 0)];
    expect((await run([...steps, 'advance: 5s'])).failure?.property).toBe('conditions-turn-honestly');
  });
});
