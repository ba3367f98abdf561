/**
 * Policies that are made, changed and made anew in any order, of built-in kinds and of kinds of definitions: in the end the
 * status of each is about what it says now, and tells of its mistakes where it has any.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../api/types/admissionregistration-k8s-io-v1.ts';
import type { ApiObject } from '../../api/object.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const { customResourceDefinitions, validatingAdmissionPolicies } = BUILTIN_HANDLES;
const NAMES = ['a', 'b'] as const;

interface Plan {
  readonly group: 'apps' | 't.example';
  readonly resource: 'deployments' | 'widgets';
  /** Of each expression, whether it is wrong. */
  readonly expressions: readonly (readonly [string, boolean])[];
}

const RIGHT = ['object.spec.replicas > 1', false] as const;
const WRONG = ['object.spec.nothing == 1', true] as const;
const TEXT = ["object.spec.replicas == 'x'", true] as const;
const PLANS: readonly Plan[] = (['deployments', 'widgets'] as const).flatMap((resource) =>
  [[RIGHT], [WRONG], [RIGHT, WRONG], [WRONG, TEXT]].map((expressions) => ({
    group: resource === 'widgets' ? 't.example' : 'apps',
    resource,
    expressions,
  })),
);

const specOf = ({ group, resource, expressions }: Plan): ValidatingAdmissionPolicySpec => ({
  matchConstraints: {
    resourceRules: [
      { apiGroups: [group], apiVersions: ['v1'], resources: [resource], operations: ['CREATE'] },
    ],
  },
  validations: expressions.map(([expression]) => ({ expression })),
});

const integer = { type: 'integer' };
const WIDGET = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas: integer } } },
};

class World extends TroubledManager {
  readonly #plans = new Map<string, Plan>();

  constructor() {
    super(['validatingadmissionpolicy-status-controller']);
    this.cluster.client.resource(customResourceDefinitions).create({
      metadata: { name: 'widgets.t.example' },
      spec: {
        group: 't.example',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: WIDGET } }],
      },
    });
    // Nobody looks again at a policy because of a definition that comes later.
    this.cluster.advance(seconds(10));
  }

  get policies(): readonly ValidatingAdmissionPolicy[] {
    const found: readonly ApiObject[] = this.objects.filter(
      ({ kind }) => kind === 'ValidatingAdmissionPolicy',
    );
    return found;
  }

  write(name: string, plan: Plan): void {
    const policies = this.cluster.client.resource(validatingAdmissionPolicies);
    const note = ({ metadata }: ApiObject): void => void this.#plans.set(metadata.uid ?? '', plan);
    tryTo(() => note(policies.create({ metadata: { name }, spec: specOf(plan) })));
    tryTo(() => note(policies.patch(name, { type: 'merge', body: { spec: specOf(plan) } })));
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.resource(validatingAdmissionPolicies).delete(name));
  }

  compare(): void {
    for (const { metadata, status } of this.policies)
      expect(status?.observedGeneration ?? 0, 'what was looked at').toBeLessThanOrEqual(
        metadata.generation ?? 0,
      );
  }

  expectRight(): void {
    for (const { metadata, status } of this.policies) {
      const { name = '', generation, uid = '' } = metadata;
      expect(status?.observedGeneration, `${name} is looked at as it is`).toBe(generation);
      const wrong = (this.#plans.get(uid)?.expressions ?? []).flatMap(([, isWrong], index) =>
        isWrong ? [`spec.validations[${index}].expression`] : [],
      );
      const told = status?.typeChecking?.expressionWarnings ?? [];
      expect(
        told.map(({ fieldRef }) => fieldRef),
        `mistakes of ${name}`,
      ).toEqual(wrong);
    }
  }
}

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();

it('says of each policy what is wrong with it as it is', () => {
  const write = act('write', fc.tuple(name, fc.constantFrom(...PLANS)), (world, drawn) =>
    world.write(...drawn),
  );
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([...[write, write], act('remove', name, (world, of) => world.remove(of))]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      world.expectRight();
      world.expectStill();
    },
    most: 16,
    runs: 8,
  });
});
