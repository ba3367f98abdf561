/**
 * Policies, bindings and their parameters that come, change and go in any order, and a server that crashes and comes back:
 * what becomes of each request, what its client is warned of and what is noted for audit is what the documentation of
 * policies says of those that there are.
 *
 * @holds sim/apiserver/admission/plugins
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../../engine/any-order.arbitrary.ts';
import { Court, PARAMS, SPACES, THINGS, type Writing } from './court.fixture.ts';
import {
  type BindingFacts,
  type Check,
  type Expression,
  judge,
  type Operation,
  type Param,
  type PolicyFacts,
} from './judgement.fixture.ts';

const POLICIES = ['p', 'q'] as const;
const BINDINGS = ['b', 'c', 'd'] as const;
const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];
const TEAM = 'blue';

const CHECKS: readonly Check[] = [
  {
    text: 'object == null || int(object.data.n) <= 1',
    value: ({ object }) => !object || object.n <= 1,
    message: 'more than one',
  },
  {
    text: 'oldObject == null || object == null || int(object.data.n) >= int(oldObject.data.n)',
    value: ({ object, old }) => !object || !old || object.n >= old.n,
    reason: 'Forbidden',
    message: 'it shrinks',
    told: { text: "'it was ' + oldObject.data.n", value: ({ old }) => old && `it was ${old.n}` },
  },
  {
    text: "request.operation != 'DELETE' || request.dryRun",
    value: ({ operation, isDryRun }) => operation !== 'DELETE' || isDryRun,
  },
  {
    text: "'team' in namespaceObject.metadata.labels || oldObject != null",
    value: ({ team, old }) => team !== undefined || old !== undefined,
  },
  { text: "object.data.missing == 'x'", value: () => undefined },
];
/** Without a bound expressions that ask for it fail. */
const mostOf = <T>(param: Param | null, value: (most: number) => T): T | undefined =>
  typeof param?.most === 'number' ? value(param.most) : undefined;

/** Of policies that have parameters. */
const BOUNDS: readonly Check[] = [
  {
    text: 'object == null || int(object.data.n) <= int(params.data.most)',
    value: ({ object, param }) => !object || mostOf(param, (most) => object.n <= most),
    told: { text: "'at most ' + params.data.most", value: ({ param }) => `at most ${param?.most}` },
  },
  {
    text: "object == null || params.data.most != '0'",
    value: ({ object, param }) => !object || mostOf(param, (most) => most !== 0),
    message: 'none at all',
  },
];
const CONDITIONS: readonly Expression[] = [
  { text: '!request.dryRun', value: ({ isDryRun }) => !isDryRun },
  { text: 'object != null', value: ({ object }) => object !== undefined },
  { text: "oldObject.data.missing == 'x'", value: () => undefined },
];
const NOTES: readonly Expression[] = [
  {
    text: "object == null ? '' : string(object.data.n)",
    value: ({ object }) => (object ? `${object.n}` : ''),
  },
];
const NOTED_BOUNDS: readonly Expression[] = [
  {
    text: 'string(params.data.most)',
    value: ({ param }) => mostOf(param, String),
  },
];

const ALL = { kind: undefined, team: undefined };

class World {
  readonly #court = new Court();
  readonly #policies = new Map<string, PolicyFacts>();
  readonly #bindings = new Map<string, BindingFacts>();

  policy(name: string, facts: PolicyFacts | null): void {
    this.#court.policy(name, facts);
    if (facts) this.#policies.set(name, facts);
    else this.#policies.delete(name);
  }

  binding(name: string, facts: BindingFacts | null): void {
    this.#court.binding(name, facts);
    if (facts) this.#bindings.set(name, facts);
    else this.#bindings.delete(name);
  }

  get court(): Pick<Court, 'param' | 'team' | 'bounce'> {
    return this.#court;
  }

  write(writing: Writing): void {
    const request = this.#court.request(writing);
    if (!request) return;
    const law = { policies: this.#policies, bindings: this.#bindings, paramsIn: this.#court.paramsIn };
    const expected = judge(law, request);
    expect(this.#court.send(writing), JSON.stringify(writing)).toEqual(expected);
  }

  compare(): void {
    for (const space of SPACES)
      for (const name of THINGS)
        for (const operation of OPERATIONS)
          this.write({
            operation,
            space,
            name,
            isDryRun: true,
            thing: { n: name === 'x' ? 1 : 2, kind: 'a' },
          });
  }
}

const act = actsOn<World>();
const space = fc.constantFrom(...SPACES);
const maybe = <T>(drawn: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(drawn, { nil: undefined, freq: 2 });
const choice = { kind: maybe(fc.constantFrom('a' as const, 'b' as const)), team: maybe(fc.constant(TEAM)) };
const policy = fc.boolean().chain((hasParams) =>
  fc.record<PolicyFacts>({
    ...choice,
    isLenient: fc.boolean(),
    hasParams: fc.constant(hasParams),
    operations: fc.subarray([...OPERATIONS], { minLength: 1 }),
    conditions: fc.oneof(fc.constant([]), fc.shuffledSubarray([...CONDITIONS])),
    checks: fc.subarray([...CHECKS, ...(hasParams ? BOUNDS : [])], { minLength: 1, maxLength: 3 }),
    note: maybe(fc.constantFrom(...NOTES, ...(hasParams ? NOTED_BOUNDS : []))),
  }),
);
/** Of those that say little of whom they judge more is found out. */
const policyOfAll = policy.map((facts): PolicyFacts => ({
  ...facts,
  ...ALL,
  operations: OPERATIONS,
  conditions: [],
}));
const binding = fc.record<BindingFacts>({
  ...choice,
  policy: fc.constantFrom(...POLICIES),
  actions: fc.constantFrom(['Deny'], ['Deny'], ['Warn'], ['Warn', 'Audit'], ['Deny', 'Audit']),
  ref: fc.option(
    fc.record({
      name: maybe(fc.constantFrom(...PARAMS)),
      space: maybe(space),
      isNeeded: fc.boolean(),
    }),
    { nil: undefined, freq: 4 },
  ),
});
const param = fc.record<Param>({ most: fc.constantFrom(0, 1, 2, null), isShown: fc.boolean() });
const writing = fc.record<Writing>({
  operation: fc.constantFrom('CREATE', 'UPDATE', 'UPDATE', 'DELETE'),
  space,
  name: fc.constantFrom(...THINGS),
  thing: fc.record({ n: fc.constantFrom(0, 1, 2, 3), kind: fc.constantFrom('a' as const, 'b' as const) }),
  isDryRun: fc.boolean(),
});

/** Something of everything, of which the acts then change one thing or another. */
function begun(): World {
  const world = new World();
  for (const each of SPACES) {
    world.write({ operation: 'CREATE', space: each, name: 'x', thing: { n: 1, kind: 'a' }, isDryRun: false });
    world.court.param(each, 'limit', { most: 1, isShown: true });
    world.court.param(each, 'bound', { most: 2, isShown: false });
  }
  const plain = { ...ALL, isLenient: false, operations: OPERATIONS, conditions: [] };
  world.policy('p', { ...plain, hasParams: true, checks: BOUNDS, note: NOTED_BOUNDS[0] });
  world.policy('q', { ...plain, hasParams: false, checks: CHECKS.slice(0, 4), note: NOTES[0] });
  for (const [name, param] of [
    ['b', 'limit'],
    ['d', 'bound'],
  ] as const)
    world.binding(name, {
      ...ALL,
      policy: 'p',
      actions: ['Deny'],
      ref: { name: param, space: undefined, isNeeded: true },
    });
  world.binding('c', { ...ALL, policy: 'q', actions: ['Warn'], ref: undefined });
  return world;
}

it('are judged by the policies that there are', () => {
  const policies = act(
    'policy',
    fc.tuple(fc.constantFrom(...POLICIES), fc.option(fc.oneof(policy, policyOfAll), { freq: 5 })),
    (world, drawn) => world.policy(...drawn),
  );
  const bindings = act(
    'binding',
    fc.tuple(fc.constantFrom(...BINDINGS), fc.option(binding, { freq: 5 })),
    (world, drawn) => world.binding(...drawn),
  );
  const params = act(
    'param',
    fc.tuple(space, fc.constantFrom(...PARAMS), fc.option(param, { freq: 3 })),
    ({ court }, drawn) => court.param(...drawn),
  );
  holdsInAnyOrder<World>({
    begin: begun,
    acts: [
      ...[policies, bindings, bindings, params, params],
      act('write', writing, (world, drawn) => world.write(drawn)),
      act('write', writing, (world, drawn) => world.write(drawn)),
      act('team', fc.tuple(space, fc.constantFrom(TEAM, 'red', null)), ({ court }, drawn) =>
        court.team(...drawn),
      ),
      act('bounce', NOTHING, ({ court }) => court.bounce()),
    ],
    compare: (world) => world.compare(),
    most: 20,
    runs: 50,
    hasSomeOnly: true,
  });
});
