/**
 * For properties of kinds whose rules can be told field by field: which values may be said and which are refused, where,
 * what stands in for what is not said, and what stays as it is once it was said. Objects are made and written again, as a
 * whole and by merging, through the object and through its status, with several fields at once: all that is wrong is told
 * and nothing else, what is refused changes nothing, what is taken is what was said, what says nothing new writes nothing,
 * and a generation is counted for each change of what the kind counts.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

/** A value that is refused. `at`: the places that are told instead of the field's own. */
export interface Refused {
  readonly value: unknown;
  readonly at?: readonly string[];
  /** Where an update is told of it, if that is elsewhere; none: updates take it. */
  readonly onUpdate?: readonly string[];
}

export interface Field {
  /** Path from the object, with dots; `spec` may be a whole. */
  readonly at: string;
  /** Values that may be said; undefined: it need not be said. */
  readonly may: readonly unknown[];
  readonly mayNot?: readonly (Refused | string | number | boolean | null)[];
  /** What is seen of a value that is shown otherwise than it was said: what stands in for none, or what becomes of it. */
  readonly shows?: (value: unknown) => unknown;
  /** What is looked at of what is there, where others than the test write something beside it. */
  readonly reads?: (value: unknown) => unknown;
  /** It never changes: true, or the place where the server says so, or the places where it says so of this change. */
  readonly isFixed?: true | string | ((now: unknown, before: unknown) => readonly string[]);
  /** What updates say of it counts for nothing. */
  readonly isKept?: boolean;
  /** Of the status: written through it alone. */
  readonly isOfStatus?: boolean;
}

export interface FieldRules {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly isNamespaced?: boolean;
  /** Of which a name is made, if it has to be like that: `*` stands for a number. */
  readonly name?: string;
  readonly fields: readonly Field[];
  /** Of a new object, beside its fields. */
  readonly base?: Members;
  /** What counts for its generation: members of the object. Absent: it has none. */
  readonly counts?: readonly string[];
  /** What a new object has counted so far; absent: one. */
  readonly countsFrom?: 0;
  /** An update is asked only what changes; what is wrong with the rest of it nobody sees. */
  readonly asksOnlyChanges?: boolean;
  /** Whoever writes the status changes no labels. */
  readonly statusKeepsLabels?: boolean;
  /** The server writes something into it of its own accord, at any time. */
  readonly isFilledIn?: boolean;
  /** It is written as a whole alone: one member says what another says as well. */
  readonly isNeverMerged?: boolean;
  /** Not all of what is said is kept; that somebody said it is noted all the same. */
  readonly isForgetful?: boolean;
  /** As flags of the command line have them. */
  readonly features?: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Which of its values each field has: those that may be, then those that may not. */
type Choice = readonly number[];

const refusalsOf = ({ mayNot = [] }: Field): readonly Refused[] =>
  mayNot.map((each) => (typeof each === 'object' && each !== null ? each : { value: each }));

const refusedIn = (field: Field, at: number): Refused | undefined => refusalsOf(field)[at - field.may.length];
const valueIn = (field: Field, at: number): unknown => refusedIn(field, at)?.value ?? field.may[at];

const servers = new Map<string, Ask>();

/** One for all objects: each has a name of its own. */
function serverWith(features = ''): Ask {
  const known = servers.get(features);
  if (known) return known;
  const options = features === '' ? {} : { featureGates: features, runtimeConfig: 'api/all=true' };
  const ask = askedServer(options);
  ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  servers.set(features, ask);
  return ask;
}

let made = 0;

interface Seen {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Members;
  };
  readonly [member: string]: unknown;
}

interface Write {
  readonly choice: Choice;
  readonly label: string;
  readonly through: 'object' | 'status';
  readonly isMerge: boolean;
}

class Told {
  readonly #rules: FieldRules;
  readonly #ask: Ask;
  readonly #name: string;
  #choice: Choice | undefined;
  #label = '';
  #generation: number;
  #last: Seen | undefined;

  constructor(rules: FieldRules) {
    this.#rules = rules;
    this.#ask = serverWith(rules.features);
    this.#generation = rules.countsFrom ?? 1;
    this.#name = (rules.name ?? 'o*').replace('*', String((made += 1)));
  }

  get #collection(): string {
    const { apiVersion, resource, isNamespaced } = this.#rules;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return `${root}/${isNamespaced ? 'namespaces/default/' : ''}${resource}`;
  }

  get #path(): string {
    return `${this.#collection}/${this.#name}`;
  }

  #bodyOf(choice: Choice, label: string, isMerge: boolean): Members {
    const { apiVersion, kind, fields, base = {} } = this.#rules;
    const body = structuredClone({ apiVersion, kind, ...base }) as Record<string, unknown>;
    const { resourceVersion } = this.#last?.metadata ?? {};
    const isUnversioned = isMerge || resourceVersion === undefined || this.#rules.isFilledIn;
    body['metadata'] = {
      ...(body['metadata'] as object | undefined),
      name: this.#name,
      labels: { label },
      ...(!isUnversioned && { resourceVersion }),
    };
    for (const [at, field] of fields.entries()) {
      const value = valueIn(field, choice[at] ?? 0);
      if (isMerge) put(body, field.at, patchOf(memberAt(this.#last, field.at), value));
      else if (value !== undefined) put(body, field.at, value);
    }
    return body;
  }

  create({ choice, label }: Write): void {
    const said = this.#bodyOf(choice, label, false);
    const { status, body } = this.#ask('POST', this.#collection, said);
    const wrong = this.#wrongIn(choice, 'object');
    const what = `${JSON.stringify(said)}: ${body.message ?? 'is taken'}`;
    expect(placesIn(body), what).toEqual(wrong);
    expect(status, what).toBe(wrong.length > 0 ? 422 : 201);
    if (wrong.length === 0) this.#take({ choice, label, through: 'object', isMerge: false }, body);
    else expect(this.#ask('GET', this.#path).status).toBe(404);
  }

  write(write: Write): void {
    const { choice, label, through, isMerge } = write;
    if (!this.#choice) {
      this.create(write);
      return;
    }
    const path = through === 'status' ? `${this.#path}/status` : this.#path;
    const said = this.#bodyOf(choice, label, isMerge);
    const { status, body } = this.#ask(isMerge ? 'PATCH' : 'PUT', path, said);
    const wrong = this.#wrongIn(choice, through, this.#choice);
    const what = `${through} ${JSON.stringify(said)} after ${JSON.stringify(this.#last)}: ${body.message ?? 'is taken'}`;
    expect(placesIn(body), what).toEqual(wrong);
    expect(status, what).toBe(wrong.length > 0 ? 422 : 200);
    if (wrong.length === 0) this.#take(write, body);
    else if (!this.#rules.isFilledIn) expect(this.#ask('GET', this.#path).body).toEqual(this.#last);
  }

  /** Places, each once, in the order of the alphabet. */
  #wrongIn(choice: Choice, through: 'object' | 'status', before?: Choice): readonly string[] {
    const { fields, asksOnlyChanges } = this.#rules;
    const places = fields.flatMap((field, at) => {
      if ((field.isOfStatus ?? false) !== (through === 'status')) return [];
      if (field.isKept && before) return [];
      const index = choice[at] ?? 0;
      const refused = refusedIn(field, index);
      const own = refused?.at ?? [field.at];
      const ofValue = refused && (before === undefined ? own : (refused.onUpdate ?? own));
      const fixed = before ? fixedIn(field, index, before[at] ?? 0) : [];
      return [...fixed, ...((before && asksOnlyChanges ? undefined : ofValue) ?? [])];
    });
    return [...new Set(places)].sort();
  }

  #take({ choice, label: said, through }: Write, answered: unknown): void {
    const { fields, counts, isFilledIn, isForgetful, statusKeepsLabels } = this.#rules;
    const label = through === 'status' && statusKeepsLabels ? this.#label : said;
    const old = this.#choice;
    const isNew = old === undefined;
    const mine = (field: Field): boolean => (field.isOfStatus ?? false) === (through === 'status');
    const isWritten = (field: Field): boolean => mine(field) && (isNew || !field.isKept);
    const next = fields.map((field, at) => (isWritten(field) ? (choice[at] ?? 0) : (old?.[at] ?? -1)));
    const isChanged = (field: Field, at: number): boolean =>
      !isDeepStrictEqual(shownOf(field, next[at] ?? -1), shownOf(field, old?.[at] ?? -1));
    const changed = fields.filter(isChanged);
    const isSame = !isNew && changed.length === 0 && this.#label === label;
    const isCounted =
      changed.some((field) => counts?.some((each) => field.at === each || field.at.startsWith(`${each}.`))) ||
      (counts?.includes('metadata.labels') && this.#label !== label);
    if (!isNew && isCounted) this.#generation += 1;
    this.#choice = next;
    this.#label = label;
    const seen = this.#ask('GET', this.#path).body as unknown as Seen;
    if (!isFilledIn) expect(answered).toEqual(seen);
    if (isSame && !isFilledIn && !isForgetful) expect(seen).toEqual(this.#last);
    if (!isSame) expect(seen.metadata.resourceVersion).not.toBe(this.#last?.metadata.resourceVersion);
    this.#last = seen;
    expect(seen.metadata.labels?.['label']).toBe(label);
    expect(seen.metadata.generation).toBe(counts && (this.#generation || undefined));
    for (const [at, field] of fields.entries()) {
      const member = memberAt(seen, field.at);
      expect(field.reads ? field.reads(member) : member, field.at).toEqual(shownOf(field, next[at] ?? -1));
    }
  }

  /** Read and sent back it stays as it is. */
  sendBack(): void {
    if (!this.#last || this.#rules.isFilledIn) return;
    const { status, body } = this.#ask('PUT', this.#path, this.#last);
    expect(status, body.message).toBe(200);
    expect(body).toEqual(this.#last);
  }

  end(): void {
    if (this.#last) this.#ask('DELETE', this.#path);
  }
}

function fixedIn(field: Field, now: number, before: number): readonly string[] {
  const { isFixed } = field;
  const [value, old] = [shownOf(field, now), shownOf(field, before)];
  if (isFixed === undefined || isDeepStrictEqual(value, old)) return [];
  if (typeof isFixed === 'function') return isFixed(value, old);
  return [isFixed === true ? field.at : isFixed];
}

const NOTHING_YET = {};

/** Below zero: nobody has said anything yet. */
function shownOf(field: Field, at: number): unknown {
  const value = at < 0 ? undefined : valueIn(field, at);
  if (at < 0 && !field.isOfStatus) return NOTHING_YET;
  return field.shows ? field.shows(value) : value;
}

function put(body: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = body;
  for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
  place[last] = value;
}

/** Who merges takes away by saying so. */
function patchOf(before: unknown, now: unknown): unknown {
  if (now === undefined) return null;
  if (!isMap(before) || !isMap(now)) return now;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(Object.entries(now).map(([name, value]) => [name, patchOf(before[name], value)])),
  };
}

const isMap = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberAt = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value === undefined ? undefined : Reflect.get(value as object, name)),
      object,
    );

interface Answered {
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
}

const placesIn = (body: unknown): readonly string[] =>
  [...new Set(((body as Answered).details?.causes ?? []).map(({ field = '' }) => field))].sort();

/** Most of what is drawn may be said, and most of what is written again stays as it was. */
function writesOf({ fields, isNeverMerged }: FieldRules): fc.Arbitrary<Write[]> {
  const indices = fields.map((field) =>
    fc.oneof(
      { weight: fields.length * 4, arbitrary: fc.nat(Math.max(0, field.may.length - 1)) },
      { weight: 4, arbitrary: fc.nat(field.may.length + (field.mayNot ?? []).length - 1) },
    ),
  );
  const choices = fc.tuple(...indices);
  const hasStatus = fields.some(({ isOfStatus }) => isOfStatus);
  const write = fc.record({
    choice: choices,
    stays: fc.tuple(...fields.map(() => fc.integer({ min: 0, max: 3 }).map((at) => at > 0))),
    label: fc.constantFrom('1', '2'),
    through: fc.constantFrom<('object' | 'status')[]>(
      ...(hasStatus ? ['object' as const, 'status' as const] : ['object' as const]),
    ),
    isMerge: isNeverMerged ? fc.constant(false) : fc.boolean(),
  });
  return fc.array(write, { minLength: 2, maxLength: 8, size: 'max' }).map((drawn) => {
    let before: Choice | undefined;
    return drawn.map(({ choice, stays, ...rest }) => {
      const last = before;
      // What was refused is not there to stay.
      const kept = choice.map((index, at) => {
        const old = last?.[at] ?? 0;
        return last && stays[at] && old < (fields[at]?.may.length ?? 0) ? old : index;
      });
      before = kept;
      return { ...rest, choice: kept };
    });
  });
}

/** Every value on its own: said of a new object, and said in place of every other that may be. */
function sayEach(rules: FieldRules): void {
  const usual = rules.fields.map(() => 0);
  for (const [at, field] of rules.fields.entries()) {
    const through = field.isOfStatus ? 'status' : 'object';
    const write = (index: number): Write => ({
      choice: usual.with(at, index),
      ...{ label: '1', through, isMerge: false },
    });
    const count = field.may.length + (field.mayNot ?? []).length;
    for (let now = 0; now < count; now += 1)
      for (
        let before = -1;
        before < Math.min(field.may.length, now < field.may.length ? 6 : 1);
        before += 1
      ) {
        if (now === before) continue;
        const told = new Told(rules);
        if (field.isOfStatus) told.write({ ...write(0), through: 'object' });
        if (before >= 0) told.write(write(before));
        told.write(write(now));
        told.end();
      }
  }
}

export function holdFieldByField(rules: FieldRules, runs = 30): void {
  sayEach(rules);
  fc.assert(
    fc.property(writesOf(rules), (writes) => {
      const told = new Told(rules);
      for (const write of writes) {
        told.write(write);
        told.sendBack();
      }
      told.end();
    }),
    asOftenAs(runs),
  );
}
