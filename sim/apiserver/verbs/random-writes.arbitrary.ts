/** For tests: writes of all sorts, made out of whatever object is there, as first-party components make them. */
import fc from 'fast-check';

/** A step into an object, by number: members and items are counted round. */
export interface Edit {
  readonly way: readonly number[];
  readonly act: 'set' | 'remove' | 'add' | 'reorder' | 'renew';
  readonly value: unknown;
}

export interface RandomWrite {
  readonly kind: number;
  readonly verb: 'update' | 'merge' | 'strategic' | 'json' | 'apply' | 'delete' | 'create';
  readonly isOfStatus: boolean;
  readonly edits: readonly Edit[];
  /** How many versions ago the object was read. */
  readonly age: number;
  /** The body says no version. */
  readonly isUnversioned: boolean;
  readonly entries: 'as read' | 'none' | 'empty' | 'blank' | 'turned' | 'copied';
  readonly agent: string;
  readonly query: Readonly<Record<string, string>>;
  /** Somebody else writes the object while the write is under way. */
  readonly isInterrupted: boolean;
  readonly seconds: number;
}

const VALUES = [
  null,
  [],
  {},
  '',
  'x',
  'another-text',
  0,
  7,
  -1,
  1.5,
  true,
  false,
  ['a', 'b'],
  [null],
  { a: 'b' },
  [{ name: 'a' }, { type: 'T' }],
  '2025-01-01T00:00:00Z',
  '2025-01-01T00:00:00.000000Z',
  { lastHeartbeatTime: '2025-01-01T00:00:00Z' },
  ['example.com/keep'],
];

const edit: fc.Arbitrary<Edit> = fc.record({
  way: fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }),
  act: fc.constantFrom('set', 'remove', 'add', 'reorder', 'renew', 'renew', 'renew'),
  value: fc.constantFrom(...VALUES),
});

export const randomWrite: fc.Arbitrary<RandomWrite> = fc.record({
  kind: fc.nat(20),
  verb: fc.constantFrom(
    'update',
    'update',
    'update',
    'update',
    'merge',
    'strategic',
    'json',
    'merge',
    'strategic',
    'apply',
    'apply',
    'delete',
    'create',
  ),
  isOfStatus: fc.boolean(),
  edits: fc.array(edit, { maxLength: 3 }),
  age: fc.constantFrom(0, 0, 0, 0, 1, 2),
  isUnversioned: fc.constantFrom(false, false, false, true),
  entries: fc.constantFrom('as read', 'as read', 'as read', 'none', 'empty', 'blank', 'turned', 'copied'),
  agent: fc.constantFrom('kubelet/1', 'kubelet/1', 'manager/2', 'someone'),
  query: fc.constantFrom(
    {},
    {},
    {},
    {},
    { dryRun: 'All' },
    { fieldValidation: 'Strict' },
    { fieldValidation: 'Ignore' },
    { fieldManager: 'hand' },
  ),
  isInterrupted: fc.constantFrom(false, false, false, false, true),
  seconds: fc.constantFrom(0, 0, 1, 10),
});

/** The value with an edit; what it leaves alone is shared with the given one. */
export function edited(value: unknown, { way, act, value: made }: Edit): unknown {
  const [first, ...rest] = way;
  if (typeof value !== 'object' || value === null || first === undefined)
    return act === 'renew' && typeof value === 'string' ? renewed(value) : made;
  // What the object is called is seldom a good thing to change.
  const names = Object.keys(value).filter((one) => first % 5 === 0 || !TYPE.has(one));
  const name = names[first % Math.max(1, names.length)];
  const member: unknown = name === undefined ? undefined : Reflect.get(value, name);
  const isLeaf = typeof member !== 'object' || member === null;
  if (act === 'reorder' && rest.length === 0) return turned(value);
  if (act === 'add' && (isLeaf || rest.length === 0)) return withMember(value, `new${first}`, made);
  if (name === undefined) return value;
  if (!isLeaf && rest.length > 0)
    return withMember(value, name, edited(member, { way: rest, act, value: made }));
  if (act === 'remove') return withoutMember(value, name);
  return withMember(value, name, edited(isLeaf ? member : undefined, { way: [], act, value: made }));
}

const TYPE: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'name', 'namespace', 'uid']);

const renewed = (text: string): string => {
  if (/^\d{4}-.*\.\d{6}Z$/.test(text)) return text.replace(/\d{6}Z$/, '123456Z');
  if (/^\d{4}-\d\d-.*Z$/.test(text)) return text.replace(/\d\dZ$/, '59Z');
  return `${text}x`;
};

/** Members, or items, the other way round. */
export function turned(value: object): unknown {
  if (Array.isArray(value)) return value.toReversed();
  return Object.fromEntries(Object.entries(value).toReversed());
}

function withMember(value: object, name: string, member: unknown): unknown {
  if (!Array.isArray(value)) return { ...value, [name]: member };
  const items: unknown[] = [...(value as readonly unknown[])];
  if (/^\d+$/.test(name)) items[Number(name)] = member;
  else items.push(member);
  return items;
}

function withoutMember(value: object, name: string): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => String(index) !== name);
  const { [name]: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
