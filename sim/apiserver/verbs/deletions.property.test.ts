/**
 * Deletions of pods in any order, beside the documentation: at once or with grace, again with less or more of it, of one or of
 * all that there were at a time, with preconditions, held by finalizers or not. A deletion that has begun ends when it was
 * to end, or earlier if somebody asks for that, and never later; who is gone is no obstacle to the deletion of others.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const PATH = '/api/v1/namespaces/default/pods';
const NAMES = ['a', 'b', 'c', 'd'] as const;
const APPS = ['x', 'y'] as const;
const HOLDER = 'example.com/holds';
const OWN_GRACE = 20;
/** Of times that are written in whole seconds. */
const ROUNDING = 1;

interface Wanted {
  readonly app: (typeof APPS)[number];
  /** One that has no node goes at once. */
  readonly isPlaced: boolean;
  readonly isHeld: boolean;
}

interface Known extends Wanted {
  readonly uid: string;
  /** In seconds since the beginning, of the first deletion. */
  since?: number;
  grace?: number;
}

interface Deletion {
  readonly gracePeriodSeconds?: number;
  readonly precondition: 'none' | 'right' | 'wrong';
}

class World {
  readonly cluster = createCluster({ controllers: [], disabledAdmissionPlugins: ['ServiceAccount'] });
  #pods = new Map<string, Known>();
  /** What there was, and at which version. */
  readonly #past: { readonly version: string; readonly pods: ReadonlyMap<string, Known> }[] = [];

  constructor() {
    this.cluster.advance(seconds(2));
  }

  get #now(): number {
    return Math.floor(this.cluster.userClient.context.wallMs() / 1_000);
  }

  make(name: string, wanted: Wanted): void {
    if (this.#pods.has(name)) return;
    const { app, isPlaced, isHeld } = wanted;
    const { metadata } = this.cluster.client.pods.create({
      metadata: { name, labels: { app }, ...(isHeld && { finalizers: [HOLDER] }) },
      spec: {
        terminationGracePeriodSeconds: OWN_GRACE,
        containers: [{ name: 'c', image: 'i' }],
        ...(isPlaced && { nodeName: 'n' }),
      },
    });
    this.#pods.set(name, { ...wanted, uid: metadata.uid ?? '' });
  }

  delete(name: string, { precondition, gracePeriodSeconds }: Deletion): void {
    const known = this.#pods.get(name);
    const uid = precondition === 'wrong' ? '00000000-0000-4000-8000-00000000dead' : (known?.uid ?? '');
    const answer = this.#try('DELETE', `${PATH}/${name}`, {
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(precondition !== 'none' && known && { preconditions: { uid } }),
    });
    if (!known) expect(answer).toBe('NotFound');
    else if (precondition === 'wrong') expect(answer).toBe('Conflict');
    else this.#deleted(name, known, gracePeriodSeconds);
  }

  /** All of an app, of now or as there were before. */
  deleteAll(app: string, gracePeriodSeconds: number | undefined, back: number): void {
    const then = back === 0 ? undefined : this.#past.at(-back);
    const version = then ? `&resourceVersion=${then.version}` : '';
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    expect(this.#try('DELETE', `${PATH}?labelSelector=app%3D${app}${version}`, options)).toBe('');
    for (const [name, pod] of then?.pods ?? [...this.#pods]) {
      const known = this.#pods.get(name);
      if (pod.app === app && known) this.#deleted(name, known, gracePeriodSeconds);
    }
  }

  letGo(name: string): void {
    const known = this.#pods.get(name);
    if (!known) return;
    const body = { metadata: { finalizers: null } };
    this.cluster.client.pods.patch(name, { type: 'merge', body });
    if (known.since !== undefined && known.grace === 0) this.#pods.delete(name);
    else this.#pods.set(name, { ...known, isHeld: false });
  }

  pass(span: number): void {
    this.cluster.advance(seconds(span));
  }

  compare(): void {
    const { items, metadata } = this.cluster.client.pods.list();
    expect(items.map((pod) => pod.metadata.name)).toEqual([...this.#pods.keys()].sort());
    for (const pod of items) this.#expectTold(pod, this.#pods.get(pod.metadata.name ?? ''));
    this.#past.push({ version: metadata.resourceVersion ?? '', pods: new Map(this.#pods) });
  }

  #expectTold({ metadata }: Pod, known: Known | undefined): void {
    const { name = '', uid, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    expect(uid).toBe(known?.uid);
    expect(deletionGracePeriodSeconds, `the grace of ${name}`).toBe(known?.grace);
    if (known?.since === undefined || known.grace === undefined)
      return expect(deletionTimestamp, `${name} stays`).toBeUndefined();
    const end = Date.parse(deletionTimestamp ?? '') / 1_000;
    expect(Math.abs(end - known.since - known.grace), `the end of ${name}`).toBeLessThanOrEqual(ROUNDING);
  }

  #deleted(name: string, known: Known, asked: number | undefined): void {
    const { since, grace, isPlaced, isHeld } = known;
    // Who has no time left waits for his finalizers alone.
    if (grace === 0) return;
    const mayHave = isPlaced ? (asked ?? (since === undefined ? OWN_GRACE : (grace ?? 0))) : 0;
    const left = grace === undefined ? mayHave : Math.min(grace, asked ?? grace);
    if (left === 0 && !isHeld) this.#pods.delete(name);
    else this.#pods.set(name, { ...known, since: since ?? this.#now, grace: left });
  }

  /** The reason of a refusal, or nothing. */
  #try(method: 'DELETE', path: string, body: object): string {
    const [plain = '', search = ''] = path.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    const { status, body: said } = this.cluster.finish(
      this.cluster.userClient.raw(method, plain, { query, body }),
    );
    return status < 400 ? '' : String((said as { readonly reason?: unknown }).reason);
  }
}

const act = actsOn<World>();
const name = fc.constantFrom(...NAMES);
const app = fc.constantFrom(...APPS);
const grace = fc.constantFrom(undefined, undefined, 0, 1, 5, 30);
const deletion = fc.record({
  gracePeriodSeconds: grace,
  precondition: fc.constantFrom<Deletion['precondition'][]>('none', 'none', 'right', 'wrong'),
});
const make = act(
  'make',
  fc.tuple(name, fc.record({ app, isPlaced: fc.constantFrom(true, true, false), isHeld: fc.boolean() })),
  (world, drawn) => world.make(...drawn),
);
const remove = act('delete', fc.tuple(name, deletion), (world, [of, { gracePeriodSeconds, ...rest }]) =>
  world.delete(of, { ...rest, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) }),
);
const removeAll = act('delete all', fc.tuple(app, grace, fc.nat(6)), (world, drawn) =>
  world.deleteAll(...drawn),
);

it('ends when it was to end, or earlier if somebody asks for that', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      ...[make, make, make, remove, remove, remove],
      removeAll,
      removeAll,
      act('let go', name, (world, of) => world.letGo(of)),
      act('pass', fc.constantFrom(1, 3, 8), (world, span) => world.pass(span)),
    ],
    compare: (world) => world.compare(),
    most: 30,
    runs: 20,
  });
});
