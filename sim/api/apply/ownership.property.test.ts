/**
 * Who owns which field, beside the documentation's own words (Server-Side Apply): several managers apply, with force or
 * without, and update, take back, repeat themselves and begin anew. Whoever applies what another has set to something else
 * is refused; two who say the same own it both; what its last owner does not apply any more is gone; what is updated has one
 * owner; and nothing is written where nothing is another.
 *
 * @holds sim/apiserver/verbs sim/api/patch
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import type { ObjectMeta } from '../object.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const ONE = `${PATH}/x`;
const TOKEN = { authorization: 'Bearer admin-token' };
const MANAGERS = ['m1', 'm2', 'm3'] as const;
const FIELDS = ['data.a', 'data.b', 'data.c', 'labels.a', 'labels.b'] as const;
const APPLY = 'application/apply-patch+yaml';

type Manager = (typeof MANAGERS)[number];
/** By field. */
type Values = Readonly<Record<string, string>>;

/** Manager and what it did: `m1/Apply`. */
type Owner = `${Manager | 'before-first-apply'}/${'Apply' | 'Update'}`;

interface Stored {
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>>;
}

class World {
  readonly #server = new VirtualServer();
  /** Undefined: there is no object. */
  #values: Map<string, string> | undefined;
  readonly #owners = new Map<Owner, Set<string>>();
  #version = '';
  /** Whether anybody is named; else updates go unnoticed until somebody applies. */
  #isManaged = false;

  apply(manager: Manager, values: Values, force: boolean): void {
    const query = `fieldManager=${manager}${force ? '&force=true' : ''}`;
    const { status } = this.#ask('PATCH', `${ONE}?${query}`, bodyOf(values), APPLY);
    const own: Owner = `${manager}/Apply`;
    const former = new Set(this.#isManaged ? [] : this.#everything());
    if (former.size > 0) this.#owners.set('before-first-apply/Update', former);
    const differing = Object.entries(values).flatMap(([field, value]) =>
      this.#values?.get(field) === value ? [] : [field, ...(this.#has(partOf(field)) ? [] : [partOf(field)])],
    );
    const disputed = [...new Set(differing)].filter((field) =>
      this.#ownersOf(field).some((each) => each !== own),
    );
    if (disputed.length > 0 && !force) {
      expect(status, `${manager} applies what others have set`).toBe(409);
      if (former.size > 0) this.#owners.clear();
      return;
    }
    expect(status).toBe(this.#values ? 200 : 201);
    this.#values ??= new Map();
    for (const field of disputed)
      for (const [owner, fields] of this.#owners) if (owner !== own) fields.delete(field);
    const before = this.#owners.get(own) ?? new Set();
    this.#owners.set(own, new Set(Object.keys(values)));
    for (const field of before) if (this.#ownersOf(field).length === 0) this.#values.delete(field);
    for (const [field, value] of Object.entries(values)) this.#values.set(field, value);
  }

  update(manager: Manager, changes: Readonly<Record<string, string | null>>): void {
    const wasThere = this.#values !== undefined;
    if (!this.#values) {
      const values = Object.entries(changes).filter((each): each is [string, string] => each[1] !== null);
      const { status } = this.#ask(
        'POST',
        `${PATH}?fieldManager=${manager}`,
        bodyOf(Object.fromEntries(values)),
      );
      expect(status).toBe(201);
      this.#values = new Map();
    } else {
      const next = new Map(this.#values);
      for (const [field, value] of Object.entries(changes))
        if (value === null) next.delete(field);
        else next.set(field, value);
      const { status } = this.#put(manager, Object.fromEntries(next));
      expect(status).toBe(200);
    }
    // What is there in the end was not away amid it.
    const setFirst = Object.entries(changes).toSorted(
      ([, a], [, b]) => Number(a === null) - Number(b === null),
    );
    for (const [field, value] of setFirst) this.#set(`${manager}/Update`, field, value, wasThere);
  }

  merge(manager: Manager, field: string, value: string | null): void {
    const [part = '', key = ''] = field.split('.');
    const inner = { [key]: value };
    const body = part === 'data' ? { data: inner } : { metadata: { labels: inner } };
    const { status } = this.#ask(
      'PATCH',
      `${ONE}?fieldManager=${manager}`,
      body,
      'application/merge-patch+json',
    );
    expect(status).toBe(this.#values ? 200 : 404);
    if (this.#values) this.#set(`${manager}/Update`, field, value);
  }

  /** Sends entries of its own; what is no list, or cannot be read, says nothing. */
  send(managedFields: readonly object[] | null): void {
    const type = 'application/merge-patch+json';
    const { status } = this.#ask('PATCH', ONE, { metadata: { managedFields } }, type);
    expect(status).toBe(this.#values ? 200 : 404);
    if (managedFields && managedFields.length < 2) this.#owners.clear();
  }

  remove(): void {
    this.#ask('DELETE', ONE);
    this.#values = undefined;
    this.#version = '';
    this.#owners.clear();
  }

  /** The very same once more. */
  repeat(): void {
    const before = this.#get();
    if (!before) return;
    expect(this.#put('m1', Object.fromEntries(this.#values ?? [])).status).toBe(200);
    expect(this.#get()?.metadata.resourceVersion, 'the version of what is no change').toBe(
      before.metadata.resourceVersion,
    );
  }

  compare(): void {
    const found = this.#get();
    expect(found !== undefined).toBe(this.#values !== undefined);
    this.#isManaged = (found?.metadata.managedFields ?? []).length > 0;
    if (!found) return;
    expect(fieldsOf(found)).toEqual(Object.fromEntries(this.#values ?? []));
    expect(ownedIn(found), 'who owns what').toEqual(
      Object.fromEntries(
        [...this.#owners]
          .filter(([, fields]) => fields.size > 0)
          .map(([owner, fields]) => [owner, [...fields].sort()]),
      ),
    );
    const state = JSON.stringify([fieldsOf(found), ownedIn(found)]);
    const version = found.metadata.resourceVersion ?? '';
    const [last, lastVersion] = this.#version.split('\n');
    if (last === state) expect(version, 'nothing has changed').toBe(lastVersion);
    this.#version = `${state}\n${version}`;
  }

  #set(owner: Owner, field: string, value: string | null, wasThere = true): void {
    const before = this.#values?.get(field);
    if (value === before || (value === null && before === undefined)) return;
    const hadPart = this.#has(partOf(field));
    if (value === null) this.#values?.delete(field);
    else this.#values?.set(field, value);
    const changed = [field, ...(hadPart === this.#has(partOf(field)) ? [] : [partOf(field)])];
    const isNoticed = this.#isManaged || !wasThere;
    for (const each of changed) {
      for (const fields of this.#owners.values()) fields.delete(each);
      if (value !== null && isNoticed)
        this.#owners.set(owner, (this.#owners.get(owner) ?? new Set()).add(each));
    }
  }

  #has(part: string): boolean {
    return [...(this.#values ?? new Map<string, string>()).keys()].some((field) => partOf(field) === part);
  }

  #everything(): readonly string[] {
    const fields = [...(this.#values ?? new Map<string, string>()).keys()];
    return [...new Set([...fields, ...fields.map(partOf)])];
  }

  #ownersOf(field: string): readonly Owner[] {
    return [...this.#owners].filter(([, fields]) => fields.has(field)).map(([owner]) => owner);
  }

  #put(manager: Manager, values: Values): { readonly status: number } {
    const { metadata } = this.#get() ?? { metadata: {} };
    const body = bodyOf(values);
    const { managedFields, uid, resourceVersion } = metadata;
    const whole = { ...body, metadata: { ...body.metadata, managedFields, uid, resourceVersion } };
    return this.#ask('PUT', `${ONE}?fieldManager=${manager}`, whole);
  }

  #get(): Stored | undefined {
    const { status, body } = this.#ask('GET', ONE);
    return status === 200 ? (body as Stored) : undefined;
  }

  #ask(method: string, path: string, body?: object, type = 'application/json') {
    const { status, bytes } = this.#server.request({
      method,
      path,
      headers: { ...TOKEN, 'content-type': type },
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    });
    return { status, body: JSON.parse(new TextDecoder().decode(bytes)) as unknown };
  }
}

function bodyOf(values: Values) {
  const of = (part: string): Values =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([field]) => field.startsWith(`${part}.`))
        .map(([field, value]) => [field.slice(part.length + 1), value]),
    );
  const [data, labels] = [of('data'), of('labels')];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', ...(Object.keys(labels).length > 0 && { labels }) },
    ...(Object.keys(data).length > 0 && { data }),
  };
}

const partOf = (field: string): string => field.split('.', 1)[0] ?? '';

const fieldsOf = ({ metadata: { labels = {} }, data = {} }: Stored): Values =>
  Object.fromEntries([
    ...Object.entries(data).map(([key, value]) => [`data.${key}`, value] as const),
    ...Object.entries(labels).map(([key, value]) => [`labels.${key}`, value] as const),
  ]);

/** By owner; what holds fields is one, too. */
function ownedIn({ metadata: { managedFields = [] } }: Stored): Readonly<Record<string, readonly string[]>> {
  const all = managedFields.map(({ manager, operation, fieldsV1 }) => {
    const { 'f:data': data, 'f:metadata': metadata = {} } = (fieldsV1 ?? {}) as Readonly<
      Record<string, Readonly<Record<string, object>>>
    >;
    const fields = [...ownedUnder('data', data), ...ownedUnder('labels', metadata['f:labels'])];
    return [`${manager}/${operation}`, fields.sort()] as const;
  });
  return Object.fromEntries(all.filter(([, fields]) => fields.length > 0));
}

function ownedUnder(part: string, set: object | undefined): readonly string[] {
  if (!set) return [];
  const keys = Object.keys(set);
  return keys.length === 0 ? [part] : keys.map((key) => (key === '.' ? part : `${part}.${key.slice(2)}`));
}

const manager = fc.constantFrom(...MANAGERS);
const value = fc.constantFrom('1', '2');
const some = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 4 });
const act = actsOn<World>();
const apply = act('apply', fc.tuple(manager, some, fc.boolean()), (world, drawn) => world.apply(...drawn));

it('gives fields to whom they are, and takes away what nobody wants any more', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      apply,
      apply,
      apply,
      act(
        'update',
        fc.tuple(
          manager,
          fc.dictionary(fc.constantFrom(...FIELDS), fc.option(value, { freq: 3 }), { maxKeys: 3 }),
        ),
        (world, drawn) => world.update(...drawn),
      ),
      act('merge', fc.tuple(manager, fc.constantFrom(...FIELDS), fc.option(value)), (world, drawn) =>
        world.merge(...drawn),
      ),
      fc.oneof(
        act('remove', NOTHING, (world) => world.remove()),
        act('repeat', NOTHING, (world) => world.repeat()),
        act('send entries', fc.constantFrom([], [{}], [{}, {}], null), (world, drawn) => world.send(drawn)),
      ),
    ],
    compare: (world) => world.compare(),
    most: 30,
    runs: 40,
  });
});
