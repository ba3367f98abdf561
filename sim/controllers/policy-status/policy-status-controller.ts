/**
 * Says in the status of a ValidatingAdmissionPolicy what is wrong with its expressions by the shapes of the kinds that
 * it is about. Policies act before that, and whatever it says. Specification: not shown (Kubernetes).
 */
import type { ValidatingAdmissionPolicy } from '../../api/types/admissionregistration-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Discovery } from '../../client/discovery/discovery.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';
import { customKindsOf } from './custom-kinds.ts';
import { typeWarnings } from './type-warnings.ts';

const { validatingAdmissionPolicies } = BUILTIN_HANDLES;
const NAME = 'validatingadmissionpolicy-status-controller';

export const POLICY_STATUS = defineController({
  name: NAME,
  serviceAccount: NAME,
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const policies = informerOf(validatingAdmissionPolicies);
    const note = ({ metadata }: ValidatingAdmissionPolicy): void => {
      queue.add(metadata.name ?? '');
    };
    policies.addHandler({ added: note, changed: (_, policy) => note(policy), removed: () => undefined });
    yield* policies.waitUntilSynced();
    const discovery = new Discovery(client);
    startWorkers(context, queue, {
      workers: 5,
      reconcile: (name) => observe(client, discovery, policies.store.get(name)),
    });
  },
});

function* observe(
  client: ApiClient,
  discovery: Discovery,
  policy: ValidatingAdmissionPolicy | undefined,
): Process<undefined> {
  const { name = '', generation = 0 } = policy?.metadata ?? {};
  if (!policy?.spec || generation <= (policy.status?.observedGeneration ?? 0)) return undefined;
  const expressionWarnings = typeWarnings(policy.spec, yield* customKindsOf(client, discovery, policy.spec));
  try {
    yield* client.apply(
      validatingAdmissionPolicies,
      {
        metadata: { name },
        status: {
          observedGeneration: generation,
          typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
        },
      },
      { fieldManager: NAME, force: true, subresource: 'status' },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}
