import { expect, test } from 'vitest';
import type { SecurityContext } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';

const REFUSAL = 'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy';

/** What becomes of a pod with such a container: created, or why it is refused. */
function outcome(allowsPrivileged: boolean | undefined, securityContext: SecurityContext): string {
  const cluster = createCluster({
    settled: true,
    scheduler: false,
    ...(allowsPrivileged !== undefined && { allowsPrivileged }),
  });
  try {
    cluster.client.pods.create({
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i', securityContext }] },
    });
    return 'created';
  } catch (error) {
    return String(error);
  }
}

test('a privileged container is refused unless the server permits it', () => {
  expect(outcome(undefined, { privileged: true })).toContain(REFUSAL);
  expect(outcome(false, { privileged: true })).toContain(REFUSAL);
  expect(outcome(true, { privileged: true })).toBe('created');
});

test('what else is wrong with a privileged container is said in any case', () => {
  const narrowed = outcome(true, { privileged: true, allowPrivilegeEscalation: false });
  expect(narrowed).toContain('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  expect(narrowed).not.toContain('disallowed');
  expect(outcome(true, { privileged: true, runAsUser: -1 })).toContain('securityContext.runAsUser');
});
