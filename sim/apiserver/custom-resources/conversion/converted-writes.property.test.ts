/**
 * Objects of a kind in two versions, written and read in either, while the version in which they are stored is changed and
 * the webhook fails at times: they are what was written, in whatever version they are read, are stored in the version that
 * was the stored one when they were written, and a write that fails has changed nothing.
 *
 * @holds sim/apiserver/conversion
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seconds } from '../../../index.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../../engine/any-order.arbitrary.ts';
import { definition, failing, setUp, things } from './converted-things.fixture.ts';

const NAMES = ['a', 'b'] as const;
const VERSIONS = ['v1', 'v2'] as const;
type Version = (typeof VERSIONS)[number];
type Way = 'create' | 'put' | 'merge' | 'json' | 'apply';
const TYPES: Readonly<Record<Way, string>> = {
  create: 'application/json',
  put: 'application/json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
const CONVERTER = { url: 'https://converter.example.com/convert' };

interface Kept {
  readonly port: string;
  readonly storedIn: Version;
}

class World {
  readonly #given = setUp(CONVERTER);
  readonly #kept = new Map<string, Kept>();
  #stored: Version = 'v1';
  #count = 0;

  store(version: Version): void {
    const { ask, cluster } = this.#given;
    const { metadata } = ask('GET', DEFINITION).body;
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      ...definition(CONVERTER, version),
      metadata,
    };
    expect(ask('PUT', DEFINITION, body).status).toBe(200);
    this.#stored = version;
    cluster.advance(seconds(1));
  }

  fail(does: boolean): void {
    this.#given.state.spoil = does ? failing : undefined;
  }

  write(name: string, version: Version, way: Way): void {
    const port = String(++this.#count);
    const { status } = this.#send(name, version, { way, port });
    const isThere = this.#kept.has(name);
    if (way === 'create') this.#expectStatus(status, isThere ? [409] : [201]);
    else if (way === 'apply') this.#expectStatus(status, isThere ? [200] : [201]);
    else this.#expectStatus(status, isThere ? [200] : [404]);
    if (status < 300) this.#kept.set(name, { port, storedIn: this.#stored });
  }

  /** Where the webhook fails, a write may fail of it. */
  #expectStatus(status: number, fine: readonly number[]): void {
    expect(this.#given.state.spoil ? [...fine, 500] : fine).toContain(status);
  }

  #send(name: string, version: Version, { way, port }: { way: Way; port: string }): { status: number } {
    const { ask } = this.#given;
    const spec = version === 'v1' ? { host: 'h', port } : { hostPort: `h:${port}` };
    const whole = { apiVersion: `example.com/${version}`, kind: 'Thing', metadata: { name }, spec };
    const path = things(version, `/${name}`);
    const answered = (answer: { status: number | undefined }) => ({ status: answer.status ?? 0 });
    switch (way) {
      case 'create':
        return answered(ask('POST', things(version), whole));
      case 'put': {
        const { status, body } = ask('GET', path);
        if (status !== 200) return answered({ status });
        return answered(ask('PUT', path, { ...whole, metadata: body.metadata }));
      }
      case 'json':
        return answered(ask('PATCH', path, [{ op: 'replace', path: '/spec', value: spec }], TYPES.json));
      case 'merge':
        return answered(ask('PATCH', path, { spec }, TYPES.merge));
      case 'apply':
        return answered(ask('PATCH', `${path}?fieldManager=m&force=true`, whole, TYPES.apply));
    }
  }

  remove(name: string, version: Version): void {
    const status = this.#given.ask('DELETE', things(version, `/${name}`)).status ?? 0;
    const isThere = this.#kept.has(name);
    this.#expectStatus(status, isThere ? [200] : [404]);
    // What was deleted may not be shown any more.
    if (isThere && this.#given.stored().length < this.#kept.size) this.#kept.delete(name);
  }

  compare(): void {
    const { stored } = this.#given;
    const names = [...this.#kept.keys()].toSorted();
    expect(stored()).toEqual(
      names.map((name) => {
        const { port = '', storedIn = 'v1' } = this.#kept.get(name) ?? {};
        return [`example.com/${storedIn}`, specIn(storedIn, port)];
      }),
    );
    if (this.#given.state.spoil) return;
    for (const version of VERSIONS) {
      const { items = [] } = this.#given.ask('GET', things(version)).body;
      expect(
        items.map(({ apiVersion, metadata, ...rest }) => [apiVersion, metadata.name, rest['spec']]),
      ).toEqual(
        names.map((name) => [
          `example.com/${version}`,
          name,
          specIn(version, this.#kept.get(name)?.port ?? ''),
        ]),
      );
    }
  }
}

const specIn = (version: Version, port: string): object =>
  version === 'v1' ? { host: 'h', port } : { hostPort: `h:${port}` };

const name = fc.constantFrom(...NAMES);
const version = fc.constantFrom(...VERSIONS);
const way = fc.constantFrom<Way[]>('create', 'create', 'put', 'merge', 'json', 'apply');
const act = actsOn<World>();
const write = act('write', fc.tuple(name, version, way), (world, drawn) => world.write(...drawn));

it('are what was written in whatever version, and are stored in the stored one', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      write,
      write,
      write,
      act('remove', fc.tuple(name, version), (world, drawn) => world.remove(...drawn)),
      act('store', version, (world, drawn) => world.store(drawn)),
      act('fail', fc.boolean(), (world, does) => world.fail(does)),
      act('be well', NOTHING, (world) => world.fail(false)),
    ],
    compare: (world) => world.compare(),
    end: (world) => {
      world.fail(false);
      world.compare();
    },
    most: 16,
    runs: 15,
  });
});
