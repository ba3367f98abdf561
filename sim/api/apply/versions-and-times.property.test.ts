/**
 * Entries of `metadata.managedFields` as wholes, beside the documentation's own words (Server-Side Apply): of a custom
 * resource with two versions and a status, to both of which in both versions several managers apply, with force or without,
 * and write. An applier has one entry for each part of the object, of the version that he applied in last; an updater one for
 * each part and version. Each tells when its manager changed a value last: not when somebody repeats himself or says what
 * others have said, nor when others take from it. What nobody wants any more goes, whatever version it was applied in.
 *
 * @holds sim/apiserver/verbs sim/apiserver/custom-resources
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import type { ObjectMeta } from '../object.ts';
import { formatTime } from '../time-format.ts';

const GROUP = 'example.com';
const VERSIONS = ['v1', 'v2'] as const;
const MANAGERS = ['m1', 'm2'] as const;
const FIELDS = ['a', 'b', 'c'] as const;
/** Of the object, and of its status. */
const PARTS = ['spec', 'status'] as const;
/** Is always there, so that a part is never empty. */
const BASE = 'base';
const FOUNDER = 'm0';
const TOKEN = { authorization: 'Bearer admin-token' };

type Version = (typeof VERSIONS)[number];
type Part = (typeof PARTS)[number];
type Values = Readonly<Record<string, string>>;

interface Writer {
  readonly manager: string;
  readonly version: Version;
  readonly part: Part;
}

interface Entry extends Writer {
  readonly operation: 'Apply' | 'Update';
  readonly time: string | undefined;
  readonly fields: Set<string>;
}

type Stored = { readonly metadata: ObjectMeta } & Readonly<Record<Part, Values>>;

const keyOf = ({ manager, version, part }: Writer, operation: Entry['operation']): string =>
  `${manager}/${operation}/${part}${operation === 'Update' ? `/${version}` : ''}`;

class World {
  readonly #server = new VirtualServer();
  readonly #values: Record<Part, Map<string, string>> = {
    spec: new Map([[BASE, '0']]),
    status: new Map([[BASE, '0']]),
  };
  readonly #entries = new Map<string, Entry>();
  readonly #bornMs: number;
  #last = { state: '', resourceVersion: '' };

  constructor() {
    expect(this.#ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION)).toBe(
      201,
    );
    this.#server.sleep(10_000);
    const founder = { manager: FOUNDER, version: 'v1' } as const;
    expect(
      this.#ask(
        'POST',
        `${pathOf('v1').slice(0, -2)}?fieldManager=${FOUNDER}`,
        bodyOf('v1', { spec: { base: '0' } }),
      ),
    ).toBe(201);
    const born = this.#get();
    this.#bornMs = Date.parse(born?.metadata.creationTimestamp ?? '') - this.#server.nowMs();
    const whole = { ...bodyOf('v1', { status: { base: '0' } }), spec: { base: '0' } };
    const { resourceVersion } = born?.metadata ?? {};
    const body = { ...whole, metadata: { ...whole.metadata, resourceVersion } };
    expect(this.#ask('PUT', `${pathOf('v1', 'status')}?fieldManager=${FOUNDER}`, body)).toBe(200);
    for (const part of PARTS) {
      const writer = { ...founder, part };
      const fields = new Set([BASE]);
      this.#entries.set(keyOf(writer, 'Update'), { ...writer, operation: 'Update', time: this.#now, fields });
    }
  }

  wait(seconds: number): void {
    this.#server.sleep(seconds * 1_000);
  }

  apply(writer: Writer, values: Values, force: boolean): void {
    const { manager, version, part } = writer;
    const query = `fieldManager=${manager}${force ? '&force=true' : ''}`;
    const path = `${pathOf(version, part)}?${query}`;
    // Who applies an empty part owns it as a whole.
    const applied = Object.keys(values).length > 0 ? { [part]: values } : {};
    const status = this.#ask('PATCH', path, bodyOf(version, applied), 'application/apply-patch+yaml');
    const key = keyOf(writer, 'Apply');
    const present = this.#values[part];
    const differing = Object.keys(values).filter((field) => present.get(field) !== values[field]);
    const others = this.#entriesOf(part).filter(([other]) => other !== key);
    const isDisputed = others.some(([, { fields }]) => differing.some((field) => fields.has(field)));
    expect(status, `${manager} applies`).toBe(isDisputed && !force ? 409 : 200);
    if (isDisputed && !force) return;
    const former = this.#entries.get(key);
    for (const [, { fields }] of others) for (const field of differing) fields.delete(field);
    for (const field of differing) present.set(field, values[field] ?? '');
    const dropped = [...(former?.fields ?? [])].filter(
      (field) => !Object.hasOwn(values, field) && !others.some(([, { fields }]) => fields.has(field)),
    );
    for (const field of dropped) present.delete(field);
    const time = differing.length + dropped.length > 0 ? this.#now : former?.time;
    this.#entries.set(key, { ...writer, operation: 'Apply', time, fields: new Set(Object.keys(values)) });
  }

  /** `null`: the field goes. */
  write(writer: Writer, changes: Readonly<Record<string, string | null>>, isWhole: boolean): void {
    const { manager, version, part } = writer;
    const present = this.#values[part];
    const path = `${pathOf(version, part)}?fieldManager=${manager}`;
    const changed = Object.entries(changes).filter(
      ([field, value]) => (present.get(field) ?? null) !== value,
    );
    const after = new Map(present);
    for (const [field, value] of changed)
      if (value === null) after.delete(field);
      else after.set(field, value);
    if (isWhole) {
      const found = this.#get();
      const body = {
        ...found,
        ...bodyOf(version, { [part]: Object.fromEntries(after) }),
        metadata: found?.metadata,
      };
      expect(this.#ask('PUT', path, body)).toBe(200);
    } else {
      expect(this.#ask('PATCH', path, { [part]: changes }, 'application/merge-patch+json')).toBe(200);
    }
    this.#values[part] = after;
    for (const [, { fields }] of this.#entriesOf(part)) for (const [field] of changed) fields.delete(field);
    const set = changed.flatMap(([field, value]) => (value === null ? [] : [field]));
    if (set.length === 0) return;
    const key = keyOf(writer, 'Update');
    const fields = new Set([...(this.#entries.get(key)?.fields ?? []), ...set]);
    this.#entries.set(key, { ...writer, operation: 'Update', time: this.#now, fields });
  }

  compare(): void {
    const found = this.#get();
    for (const [key, { fields }] of this.#entries) if (fields.size === 0) this.#entries.delete(key);
    for (const part of PARTS) expect(found?.[part], part).toEqual(Object.fromEntries(this.#values[part]));
    const { managedFields = [], resourceVersion = '' } = found?.metadata ?? {};
    const told = managedFields.map(({ manager = '', operation, apiVersion, subresource, time, fieldsV1 }) =>
      [manager, operation, apiVersion, subresource ?? '', time ?? '', ...ownedIn(fieldsV1)].join(' '),
    );
    const wanted = [...this.#entries.values()].map(
      ({ manager, operation, version, part, time = '', fields }) =>
        [
          manager,
          operation,
          `${GROUP}/${version}`,
          part === 'spec' ? '' : part,
          time,
          ...[...fields].sort(),
        ].join(' '),
    );
    expect(told.toSorted()).toEqual(wanted.toSorted());
    const state = JSON.stringify([found?.spec, found?.status, told]);
    if (state === this.#last.state)
      expect(resourceVersion, 'nothing is new').toBe(this.#last.resourceVersion);
    this.#last = { state, resourceVersion };
  }

  get #now(): string {
    return formatTime(this.#bornMs + this.#server.nowMs());
  }

  #entriesOf(wanted: Part): readonly (readonly [string, Entry])[] {
    return [...this.#entries].filter(([, { part }]) => part === wanted);
  }

  #get(): Stored | undefined {
    const { status, bytes } = this.#server.request({ method: 'GET', path: pathOf('v1'), headers: TOKEN });
    return status === 200 ? (JSON.parse(new TextDecoder().decode(bytes)) as Stored) : undefined;
  }

  #ask(method: string, path: string, body: object, type = 'application/json'): number {
    const headers = { ...TOKEN, 'content-type': type };
    return this.#server.request({
      method,
      path,
      headers,
      body: new TextEncoder().encode(JSON.stringify(body)),
    }).status;
  }
}

const pathOf = (version: Version, part: Part = 'spec'): string =>
  `/apis/${GROUP}/${version}/namespaces/default/things/x${part === 'status' ? '/status' : ''}`;

const bodyOf = (version: Version, parts: Partial<Record<Part, Values>>) => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'Thing',
  metadata: { name: 'x' },
  ...parts,
});

/** What is in either part; an entry is of one. */
const ownedIn = (fields: object | undefined): readonly string[] =>
  Object.values(fields ?? {})
    .flatMap((part) => Object.keys(part as object))
    .filter((key) => key !== '.')
    .map((key) => key.slice(2))
    .sort();

const PROPERTIES = Object.fromEntries([BASE, ...FIELDS].map((name) => [name, { type: 'string' }]));
const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(PARTS.map((part) => [part, { type: 'object', properties: PROPERTIES }])),
};
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: VERSIONS.map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: SCHEMA },
      subresources: { status: {} },
    })),
  },
};

const writer = fc.record({
  manager: fc.constantFrom(...MANAGERS),
  version: fc.constantFrom(...VERSIONS),
  part: fc.constantFrom('spec', ...PARTS),
});
const field = fc.constantFrom(...FIELDS);
const value = fc.constantFrom('1', '2');
const act = actsOn<World>();
const apply = act(
  'apply',
  fc.tuple(writer, fc.dictionary(field, value, { maxKeys: 3 }), fc.boolean()),
  (world, drawn) => world.apply(...drawn),
);

it('tell who set what, in which version, and when', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      apply,
      apply,
      act(
        'write',
        fc.tuple(writer, fc.dictionary(field, fc.option(value, { freq: 3 }), { maxKeys: 2 }), fc.boolean()),
        (world, drawn) => world.write(...drawn),
      ),
      act('wait', fc.integer({ min: 1, max: 3 }), (world, drawn) => world.wait(drawn)),
    ],
    compare: (world) => world.compare(),
    most: 30,
    runs: 14,
  });
});
