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

interface Written {
  readonly metadata: ApiObject['metadata'];
  readonly plan: Plan;
}

const mistakesOf = ({ expressions }: Plan): readonly string[] =>
  expressions.flatMap(([, isWrong], index) => (isWrong ? [`spec.validations[${index}].expression`] : []));

const toldOf = ({ status }: ValidatingAdmissionPolicy): readonly string[] =>
  (status?.typeChecking?.expressionWarnings ?? []).map(({ fieldRef }) => fieldRef);

class World extends TroubledManager {
  readonly #written: Written[] = [];

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
    const note = ({ metadata }: ApiObject): void => void this.#written.push({ metadata, plan });
    tryTo(() => note(policies.create({ metadata: { name }, spec: specOf(plan) })));
    tryTo(() => note(policies.patch(name, { type: 'merge', body: { spec: specOf(plan) } })));
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.resource(validatingAdmissionPolicies).delete(name));
  }

  /**
   * What was found out of one is told of whoever has its name by then, and who is younger than that is not looked at again:
   * here as in a real cluster.
   */
  #isToldOfFormer(policy: ValidatingAdmissionPolicy): boolean {
    const { metadata, status } = policy;
    return this.#written.some(
      (former) =>
        former.metadata.name === metadata.name &&
        former.metadata.uid !== metadata.uid &&
        former.metadata.generation === status?.observedGeneration &&
        mistakesOf(former.plan).join() === toldOf(policy).join(),
    );
  }

  compare(): void {
    for (const policy of this.policies) {
      const { metadata, status } = policy;
      if (this.#isToldOfFormer(policy)) continue;
      expect(status?.observedGeneration ?? 0, 'what was looked at').toBeLessThanOrEqual(
        metadata.generation ?? 0,
      );
    }
  }

  expectRight(): void {
    for (const policy of this.policies) {
      const { name = '', generation, uid = '' } = policy.metadata;
      if (this.#isToldOfFormer(policy)) continue;
      expect(policy.status?.observedGeneration, `${name} is looked at as it is`).toBe(generation);
      const own = this.#written.findLast(({ metadata }) => metadata.uid === uid)?.plan;
      expect(toldOf(policy), `mistakes of ${name}`).toEqual(own ? mistakesOf(own) : []);
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
