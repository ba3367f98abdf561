/**
 * Which flow schema and priority level answers name, whatever becomes of both: schemas and levels come, change, go, and are
 * made anew under their names.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
const SCHEMAS = ['f', 'g', 'h'] as const;
const LEVELS = ['l', 'm'] as const;
const USERS = ['u', 'v'] as const;

interface Schema {
  readonly uid: string;
  readonly level: string;
  readonly precedence: number;
  readonly users: readonly string[];
}

type Wish = Omit<Schema, 'uid'>;

class World {
  readonly #server = new VirtualServer();
  readonly #schemas = new Map<string, Schema>();
  /** Uids. */
  readonly #levels = new Map<string, string>();

  constructor() {
    for (const level of LEVELS) this.makeLevel(level);
    this.putSchema('f', { level: 'l', precedence: 100, users: USERS });
  }

  #ask(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    return this.#server.request({
      method,
      path,
      headers: {
        authorization: 'Bearer admin-token',
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        ...headers,
      },
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    });
  }

  #uidIn({ bytes }: { readonly bytes: Uint8Array }): string {
    const { metadata } = JSON.parse(new TextDecoder().decode(bytes)) as { metadata: { uid?: string } };
    return metadata.uid ?? '';
  }

  makeLevel(name: string): void {
    if (this.#levels.has(name)) return;
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    const path = `${GROUP}/prioritylevelconfigurations`;
    this.#levels.set(name, this.#uidIn(this.#ask('POST', path, { metadata: { name }, spec })));
  }

  removeLevel(name: string): void {
    if (this.#levels.delete(name)) this.#ask('DELETE', `${GROUP}/prioritylevelconfigurations/${name}`);
  }

  /** New, or another than before. */
  putSchema(name: string, wish: Wish): void {
    const { level, precedence, users } = wish;
    const spec = {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      rules: [
        {
          subjects: users.map((user) => ({ kind: 'User', user: { name: user } })),
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    };
    const isNew = !this.#schemas.has(name);
    const path = isNew ? `${GROUP}/flowschemas` : `${GROUP}/flowschemas/${name}`;
    const answer = this.#ask(isNew ? 'POST' : 'PATCH', path, { metadata: { name }, spec });
    this.#schemas.set(name, { ...wish, uid: this.#uidIn(answer) });
  }

  removeSchema(name: string): void {
    if (this.#schemas.delete(name)) this.#ask('DELETE', `${GROUP}/flowschemas/${name}`);
  }

  compare(): void {
    for (const user of USERS) {
      const { headers } = this.#ask('GET', '/version', undefined, { 'impersonate-user': user });
      const of = (what: string): string | undefined =>
        headers.find(([name]) => name === `x-kubernetes-pf-${what}-uid`)?.[1];
      const wanted = this.#flowOf(user);
      if (wanted) expect({ schema: of('flowschema'), level: of('prioritylevel') }).toEqual(wanted);
      else expect([...this.#schemas.values()].map(({ uid }) => uid)).not.toContain(of('flowschema'));
    }
  }

  #flowOf(user: string): { readonly schema: string; readonly level: string } | undefined {
    const found = [...this.#schemas]
      .filter(([, { level, users }]) => this.#levels.has(level) && users.includes(user))
      .toSorted(([one, a], [other, b]) => a.precedence - b.precedence || (one < other ? -1 : 1));
    const [, first] = found[0] ?? [];
    return first && { schema: first.uid, level: this.#levels.get(first.level) ?? '' };
  }
}

const act = actsOn<World>();
const schema = fc.constantFrom(...SCHEMAS);
const level = fc.constantFrom(...LEVELS);
const wish: fc.Arbitrary<Wish> = fc.record({
  level: fc.constantFrom('l', 'm', 'none'),
  precedence: fc.constantFrom(50, 60, 60),
  users: fc.subarray([...USERS], { minLength: 1 }),
});
const put = act('put schema', fc.tuple(schema, wish), (world, drawn) => world.putSchema(...drawn));

it('are those that are there, in their order', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      put,
      put,
      act('make level', level, (world, name) => world.makeLevel(name)),
      act('remove level', level, (world, name) => world.removeLevel(name)),
      act('remake level', level, (world, name) => {
        world.removeLevel(name);
        world.makeLevel(name);
      }),
      act('remove schema', schema, (world, name) => world.removeSchema(name)),
    ],
    compare: (world) => world.compare(),
    most: 12,
    runs: 12,
  });
});
