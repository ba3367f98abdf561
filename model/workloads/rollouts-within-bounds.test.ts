import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import type { Deployment, ReplicaSet } from '../../sim/api/types/apps-v1.ts';
import { SECOND } from '../nodes/observation.ts';
import { RolloutsWithinBounds } from './rollouts-within-bounds.ts';

const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: 'web' },
  spec: {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    selector: {},
    template: {},
  },
};

const set = (name: string, replicas: number, availableReplicas: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web', controller: true },
    ],
  },
  spec: { replicas, selector: {}, template: { metadata: { labels: { of: name } } } },
  status: { replicas, availableReplicas },
});

/** What is found when sets are written one after the other, a second apart. */
function found(...writes: readonly ReplicaSet[]): readonly string[] {
  const messages: string[] = [];
  const rule = new RolloutsWithinBounds({ slack: 0, report: (_, message) => void messages.push(message) });
  const present = new Map<string, ApiObject>();
  for (const [index, after] of [deployment, ...writes].entries()) {
    const name = after.metadata.name ?? '';
    const at = index * SECOND;
    rule.observe({ kind: 'stored', at, revision: index + 1, before: present.get(name), after });
    present.set(name, after);
  }
  return messages;
}

describe('a set that is made smaller', () => {
  const begun = [set('old', 1, 0), set('old', 1, 1), set('new', 1, 0)];

  it('takes nothing away where too few were available anyway, though it was otherwise a moment ago', () => {
    expect(found(...begun, set('old', 1, 0), set('old', 0, 0))).toEqual([]);
  });

  it('takes away the last that was available', () => {
    expect(found(...begun, set('old', 0, 0))).toEqual([
      'of Deployment default/web 0 pods stay available, 1 at the least',
    ]);
  });

  it('may go once the new one is available', () => {
    expect(found(...begun, set('new', 1, 1), set('old', 0, 0))).toEqual([]);
  });
});
