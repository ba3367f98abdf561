/**
 * The policies and bindings that are in force on one server. A change counts from the next look, as the real server
 * looks once in a second.
 */
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { StoredObject } from '../../stores/stored-object.ts';
import type { Storage, StorageWatch } from '../../../storage/storage.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';
import { compareStrings } from '../../../api/go-text.ts';
import { type CompiledPolicy, compilePolicy } from '../../../api/policies/compiled-policy.ts';

export interface PolicyInForce {
  readonly policy: ValidatingAdmissionPolicy;
  readonly compiled: CompiledPolicy;
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
}

export interface PolicyHost {
  /** Finds a resource by text such as `deployments.apps`. */
  readonly registry: { findByText(text: string): { readonly storagePrefix: string } | undefined };
  readonly storage: Storage<StoredObject>;
  readonly surroundings: Pick<ApiServerSurroundings, 'after' | 'wallMs'>;
  endWithServer(watch: StorageWatch): void;
}

const GROUP = 'admissionregistration.k8s.io';
const LOOK_MS = 1_000;

export class PolicySource {
  #inForce: readonly PolicyInForce[] = [];
  #isScheduled = false;
  #host: PolicyHost | undefined;
  #startedMs = 0;

  get inForce(): readonly PolicyInForce[] {
    return this.#inForce;
  }

  /** From now on changes are heard of; what there is counts at once. */
  start(host: PolicyHost): void {
    this.#host = host;
    this.#startedMs = host.surroundings.wallMs();
    for (const resource of ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']) {
      const prefix = host.registry.findByText(`${resource}.${GROUP}`)?.storagePrefix;
      if (prefix !== undefined)
        host.endWithServer(host.storage.watch({ prefix, onEvents: () => this.#schedule() }));
    }
    this.#look();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#host) return;
    this.#isScheduled = true;
    const { surroundings } = this.#host;
    const since = (surroundings.wallMs() - this.#startedMs) % LOOK_MS;
    surroundings.after(LOOK_MS - since, () => {
      this.#isScheduled = false;
      this.#look();
    });
  }

  #look(): void {
    const policies = this.#all('validatingadmissionpolicies') as readonly ValidatingAdmissionPolicy[];
    const bindings = this.#all(
      'validatingadmissionpolicybindings',
    ) as readonly ValidatingAdmissionPolicyBinding[];
    const before = new Map(this.#inForce.map((each) => [each.policy, each.compiled]));
    this.#inForce = policies.flatMap((policy) => {
      const own = bindings.filter(({ spec }) => spec?.policyName === policy.metadata.name);
      if (own.length === 0) return [];
      return [
        {
          policy,
          compiled: before.get(policy) ?? compilePolicy(policy.spec ?? {}, undefined),
          bindings: own,
        },
      ];
    });
  }

  #all(resource: string): readonly StoredObject[] {
    const host = this.#host;
    const row = host?.registry.findByText(`${resource}.${GROUP}`);
    if (!host || !row) return [];
    const { entries } = host.storage.range({ prefix: row.storagePrefix });
    return entries
      .map(({ value }) => value)
      .toSorted((a, b) => compareStrings(a.metadata.name ?? '', b.metadata.name ?? ''));
  }
}
