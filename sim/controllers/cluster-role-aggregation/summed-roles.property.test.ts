/**
 * Roles that are summed up by labels, and their parts, made, changed, taken away and made anew in any order, whatever comes
 * between: in the end each sum says what the roles say that it selects, by their names and each rule once, those of sums
 * among them, and who is no sum says what was last written.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClusterRole, PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, struck, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const PARTS = ['p', 'q', 'z'] as const;
/** What sums may have as labels, and select: no sum is a part of one that it selects. */
const SUMS = { a: ['red', 'blue'], r: ['red', 'green'], s: ['green', 'white'] } as const;
type Sum = keyof typeof SUMS;
const OF_SUMS = { a: ['red'], r: ['green'], s: ['green', 'white'] } as const;
const TO_VIEW = 'rbac.authorization.k8s.io/aggregate-to-view';
const COLOURS = ['red', 'blue', 'green', 'white', TO_VIEW] as const;
const WORD = 'true';

type Rules = readonly PolicyRule[];
const rule = (resource: string): PolicyRule => ({
  apiGroups: ['shop.example.com'],
  resources: [resource],
  verbs: ['get'],
});
const [CUPS, PANS] = [rule('cups'), rule('pans')];
const RULES: readonly Rules[] = [[], [CUPS], [PANS], [PANS, CUPS], [CUPS, CUPS]];

const labelled = (colours: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(colours.map((colour) => [colour, WORD]));

class World extends TroubledManager {
  /** What was last written of who is no sum. */
  readonly #written = new Map<string, Rules>();

  constructor() {
    super(['clusterrole-aggregation-controller']);
  }

  get #roles() {
    return this.cluster.client.resource(BUILTIN_HANDLES.clusterRoles);
  }

  part(name: string, colours: readonly string[], rules: Rules): void {
    this.#put({ metadata: { name, labels: labelled(colours) }, rules });
  }

  sum(name: Sum, labels: readonly string[], selected: readonly string[]): void {
    const clusterRoleSelectors = selected.map((colour) => ({ matchLabels: { [colour]: WORD } }));
    tryTo(() => {
      const present = this.#present(name);
      const meant = {
        metadata: { name, labels: labelled(labels) },
        aggregationRule: { clusterRoleSelectors },
      };
      if (present)
        this.#roles.update({ ...present, ...meant, metadata: { ...present.metadata, ...meant.metadata } });
      else this.#roles.create({ ...meant, rules: [] });
    });
  }

  /** By hand, as nobody should. */
  scribble(name: string, rules: Rules): void {
    tryTo(() => {
      const present = this.#present(name);
      if (present) this.#roles.update({ ...present, rules });
    });
  }

  remove(name: string): void {
    tryTo(() => this.#roles.delete(name));
  }

  #put(role: Pick<ClusterRole, 'metadata' | 'rules'>): void {
    const { name = '' } = role.metadata;
    tryTo(() => {
      const present = this.#present(name);
      if (present)
        this.#roles.update({ ...present, ...role, metadata: { ...present.metadata, ...role.metadata } });
      else this.#roles.create(role);
      this.#written.set(name, role.rules ?? []);
    });
  }

  #present(name: string): ClusterRole | undefined {
    return this.#all.find(({ metadata }) => metadata.name === name);
  }

  get #all(): readonly ClusterRole[] {
    return this.objects.filter(({ kind }) => kind === 'ClusterRole');
  }

  expectSummed(): void {
    const all = this.#all.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    for (const role of all) {
      const selectors = role.aggregationRule?.clusterRoleSelectors;
      if (selectors)
        expect(textsOf(role.rules), `rules of ${nameOf(role)}`).toEqual(sumOf(role, selectors, all));
    }
    for (const name of PARTS) {
      const present = this.#present(name);
      if (present)
        expect(textsOf(present.rules), `rules of ${name}`).toEqual(textsOf(this.#written.get(name)));
    }
  }

  /** Each kind of news by itself, in peace. */
  expectHeard(): void {
    const news: readonly (() => void)[] = [
      () => this.sum('r', ['green'], ['red', 'blue']),
      () => this.sum('s', [], ['green']),
      () => this.part('p', ['red'], [CUPS]),
      () => this.part('p', ['red'], [PANS]),
      () => this.part('q', [], [CUPS]),
      () => this.part('q', ['blue'], [CUPS]),
      () => this.part('p', ['white'], [PANS]),
      () => this.scribble('r', [PANS]),
      () => this.remove('q'),
      () => this.sum('r', ['green'], ['white']),
      () => this.remove('r'),
      () => this.sum('r', ['green'], ['white']),
    ];
    for (const each of news) {
      each();
      this.cluster.advance(seconds(3));
      this.expectSummed();
    }
  }
}

const nameOf = ({ metadata }: ClusterRole): string => metadata.name ?? '';
const textsOf = (rules: Rules | null = []): readonly string[] => (rules ?? []).map(textOf);
/** Whatever order its members are written in. */
const textOf = (each: PolicyRule): string => JSON.stringify(each, Object.keys(each).sort());

function sumOf(
  sum: ClusterRole,
  selectors: NonNullable<NonNullable<ClusterRole['aggregationRule']>['clusterRoleSelectors']>,
  byName: readonly ClusterRole[],
): readonly string[] {
  const texts = selectors.flatMap(({ matchLabels = {} }) =>
    byName
      .filter((role) => role !== sum)
      .filter(({ metadata: { labels = {} } }) =>
        Object.entries(matchLabels).every(([label, value]) => labels[label] === value),
      )
      .flatMap(({ rules }) => textsOf(rules)),
  );
  return [...new Set(texts)];
}

const part = fc.constantFrom(...PARTS);
const rules = fc.constantFrom(...RULES);
const sum = fc
  .constantFrom<Sum[]>('a', 'r', 's')
  .chain((name) =>
    fc.tuple(fc.constant(name), fc.subarray([...OF_SUMS[name]]), fc.subarray([...SUMS[name]])),
  );
const act = actsOn<World>();

it('says in the end what its parts say', () => {
  const acts = [
    act('part', fc.tuple(part, fc.subarray([...COLOURS]), rules), (world, drawn) => world.part(...drawn)),
    act('part', fc.tuple(part, fc.subarray([...COLOURS]), rules), (world, drawn) => world.part(...drawn)),
    act('sum', sum, (world, drawn) => world.sum(...drawn)),
    act('remove', fc.oneof(part, fc.constantFrom('a', 'r', 's')), (world, of) => world.remove(of)),
    act('scribble', fc.tuple(fc.constantFrom('a', 'r', 's', 'view'), rules), (world, drawn) =>
      world.scribble(...drawn),
    ),
  ];
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([...acts, unseen<World>(acts), struck<World>(acts)]),
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectSummed();
      world.expectStill();
      world.expectHeard();
    },
    most: 20,
    runs: 6,
  });
});
