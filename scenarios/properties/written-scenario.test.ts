import { describe, expect, it } from 'vitest';
import { writtenScenario } from './written-scenario.ts';

describe('a scenario that a machine wrote', () => {
  it('may have the same object in several places', () => {
    const create = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
    const { scenario } = writtenScenario('twice', {
      apiVersion: 'kubesim.dev/v1',
      kind: 'Scenario',
      metadata: { name: 'twice' },
      spec: { steps: [{ create }, { delete: { kind: 'ConfigMap', name: 'a' } }, { create }] },
    });
    expect(scenario.spec.steps[2]).toMatchObject({ create });
  });
});
