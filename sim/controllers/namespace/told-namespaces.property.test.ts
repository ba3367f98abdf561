/**
 * What a namespace that ends says of itself: what is left in it and what holds that, as it is by now and not as it was; that
 * something fails, or is not known, as long as that is so; and nothing any more as soon as nothing is left. Somebody holds things in it and lets
 * them go, requests of the controller are refused for a time, and it dies and begins anew.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const HOLDS = ['example.com/a', 'example.com/b'] as const;
const NAMES = ['p', 'q', 'r'] as const;
const KINDS = ['ConfigMap', 'Secret'] as const;
/** Of endpoints there are none. */
const FAILURES = [
  { verb: 'list', resource: 'secrets' },
  { verb: 'deletecollection', resource: 'secrets' },
  { verb: 'list', resource: 'endpoints' },
] as const;
/** By then it was looked at again, after whatever failures. */
const LOOKED_AGAIN = seconds(70);

const UNKNOWN = { group: 'gone.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 };
const UNKNOWN_NAME = 'v1.gone.example.com';

type Kind = (typeof KINDS)[number];
type Failure = (typeof FAILURES)[number];
type Hold = (typeof HOLDS)[number];

class World extends TroubledManager {
  /** Of what is held, by what: by kind and name. */
  readonly #held = new Map<string, readonly Hold[]>();
  #isEnding = false;
  #isUnknown = false;
  #wasThere = true;
  #failing: Failure | undefined;
  readonly #name = 'n';

  constructor() {
    super(['namespace-controller']);
    this.cluster.client.namespaces.create({ metadata: { name: this.#name } });
    this.make('ConfigMap', 'p', ['example.com/a']);
    this.make('Secret', 'p', ['example.com/a']);
    this.make('Secret', 'q', [...HOLDS]);
  }

  make(kind: Kind, name: string, finalizers: readonly Hold[]): void {
    tryTo(() => {
      this.#of(kind).create({ metadata: { name, namespace: this.#name, finalizers } });
      this.#held.set(`${kind} ${name}`, finalizers);
    });
  }

  letGo(kind: Kind, name: string, hold: Hold): void {
    const left = (this.#held.get(`${kind} ${name}`) ?? []).filter((each) => each !== hold);
    tryTo(() => {
      const key = { namespace: this.#name, name };
      this.#of(kind).patch(key, { type: 'merge', body: { metadata: { finalizers: left } } });
      this.#held.set(`${kind} ${name}`, left);
    });
  }

  shut(): void {
    tryTo(() => {
      this.cluster.client.namespaces.delete(this.#name);
      this.#isEnding = true;
    });
  }

  fail(failure: Failure): void {
    this.heal();
    this.#failing = failure;
    this.cluster.faults.failRequests({ actor: this.actor.name, ...failure });
  }

  heal(): void {
    if (this.#failing) this.cluster.faults.allowRequests({ actor: this.actor.name, ...this.#failing });
    this.#failing = undefined;
  }

  /** A group that nobody answers for: whether something of it is left nobody knows. */
  setUnknown(isUnknown: boolean): void {
    if (this.#isUnknown === isUnknown) return;
    const { apiServices } = this.cluster.client;
    const spec = {
      ...UNKNOWN,
      service: { namespace: 'default', name: 'nobody' },
      insecureSkipTLSVerify: true,
    };
    if (isUnknown) apiServices.create({ metadata: { name: UNKNOWN_NAME }, spec });
    else apiServices.delete(UNKNOWN_NAME);
    this.#isUnknown = isUnknown;
    this.cluster.advance(seconds(2));
  }

  /** Nothing is left in it that anybody knows of; and then those are known that were not. */
  empty(): void {
    this.heal();
    this.shut();
    this.setUnknown(true);
    for (const [key, holds] of this.#held)
      for (const hold of holds) this.letGo(key.split(' ', 1)[0] as Kind, key.split(' ')[1] ?? '', hold);
    this.compare();
    this.setUnknown(false);
    this.compare();
  }

  compare(): void {
    if (!this.#isEnding) return;
    this.cluster.advance(LOOKED_AGAIN);
    const found = this.of('Namespace').find(({ metadata }) => metadata.name === this.#name);
    const conditionOf = (type: string) => found?.status?.conditions?.find((each) => each.type === type);
    if (found) {
      const isSaid = conditionOf('NamespaceDeletionDiscoveryFailure')?.status;
      expect(isSaid, 'that some are not known').toBe(this.#isUnknown ? 'True' : 'False');
    }
    const held = [...this.#held].filter(([, finalizers]) => finalizers.length > 0);
    if (this.#failing) {
      if (found) expect(conditionOf('NamespaceDeletionContentFailure')?.status, 'that it fails').toBe('True');
      return;
    }
    const isThere = held.length > 0 || (this.#isUnknown && this.#wasThere);
    expect(found !== undefined, 'that it is there').toBe(isThere);
    this.#wasThere = found !== undefined;
    if (!found || held.length === 0) return;
    expect(conditionOf('NamespaceDeletionContentFailure')?.status, 'that it fails').toBe('False');
    const kinds = held.map(([key]) => `${key.split(' ', 1)[0]?.toLowerCase()}s. has`);
    expect(conditionOf('NamespaceContentRemaining')?.message).toBe(
      `Some resources are remaining: ${counted(kinds)}`,
    );
    const holds = held.flatMap(([, finalizers]) => finalizers.map((each) => `${each} in`));
    expect(conditionOf('NamespaceFinalizersRemaining')?.message).toBe(
      `Some content in the namespace has finalizers remaining: ${counted(holds)}`,
    );
  }

  #of(kind: Kind) {
    const { configMaps, secrets } = this.cluster.client;
    return kind === 'Secret' ? secrets : configMaps;
  }
}

const counted = (texts: readonly string[]): string =>
  [...new Set(texts)]
    .map((text) => `${text} ${texts.filter((each) => each === text).length} resource instances`)
    .toSorted()
    .join(', ');

const act = actsOn<World>();
const kind = fc.constantFrom(...KINDS);
const name = fc.constantFrom(...NAMES);
const letGo = act('let go', fc.tuple(kind, name, fc.constantFrom(...HOLDS)), (world, drawn) =>
  world.letGo(...drawn),
);

it('say what is left in them now', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('make', fc.tuple(kind, name, fc.subarray([...HOLDS])), (world, drawn) => world.make(...drawn)),
      letGo,
      letGo,
      act('shut', NOTHING, (world) => world.shut()),
      act('fail', fc.constantFrom(...FAILURES), (world, failure) => world.fail(failure)),
      act('heal', NOTHING, (world) => world.heal()),
      act('unknown', fc.boolean(), (world, isUnknown) => world.setUnknown(isUnknown)),
      act('end of the controller', NOTHING, (world) => world.bounce()),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.empty(),
    most: 16,
    runs: 12,
  });
});
