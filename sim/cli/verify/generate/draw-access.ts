/** Roles and bindings, what they allow to whom, and who may grant as much to others. */
import type { Step } from '../../../../model/golden/replay/golden-case.ts';
import { drawQuestion } from './access-questions.ts';
import { bindingOf, clusterBindingOf, clusterRoleOf, roleOf } from './access-rules.ts';
import type { Random } from './random.ts';

/** The authorizer hears of a binding a moment after it was written. */
const HEARD_MS = 300;

export function drawAccess(random: Random): readonly Step[] {
  const isOfCluster = random.chance(50);
  const granted: readonly Step[] = [
    { request: roleOf('r', random) },
    { request: bindingOf('r', 'r', random) },
    ...(isOfCluster ? [{ request: clusterRoleOf(random) }] : []),
    ...(isOfCluster && random.chance(50) ? [{ request: clusterBindingOf(random) }] : []),
  ];
  return [...granted, { sleep: HEARD_MS }, ...Array.from({ length: 8 }, () => drawQuestion(random))];
}
