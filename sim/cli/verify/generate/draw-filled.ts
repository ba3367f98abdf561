/** Objects with much in them: statuses as controllers and agents write them, members of a specification one by one, and how they are shown. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Json } from '../../../api/object.ts';
import type { Step } from '../../../../model/golden/replay/golden-case.ts';
import { seedOf } from './draw-writes.ts';
import { filled } from './fill.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, objectOf, type Subject, typeKeyOf } from './subjects.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const ACCEPTS = [
  TABLE,
  TABLE,
  TABLE,
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json',
];
const FREE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

export function drawFilled(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const one = `${path}/${nameOf(subject)}`;
  if (subject.isDryOnly) return Array.from({ length: 5 }, () => dryCreation(subject, path, random));
  const changes = Array.from({ length: 3 }, () => [
    changeOf(subject, one, random),
    statusOf(subject, one, random),
    shown(random.chance(50) ? one : path, random),
  ]);
  return [
    { request: { method: 'POST', path, body: seedOf(subject, random) } },
    ...Array.from({ length: 2 }, () => dryCreation(subject, path, random)),
    ...changes.flat(),
    {
      request: {
        method: 'PATCH',
        path: one,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: ['example.com/held'] } },
      },
    },
    { request: { method: 'DELETE', path: one } },
    shown(one, random),
    { request: { method: 'PATCH', path: one, ...withoutFinalizers } },
  ];
}

const withoutFinalizers = {
  contentType: 'application/merge-patch+json',
  body: { metadata: { finalizers: null } },
};

const shown = (path: string, random: Random): Step => ({
  request: { method: 'GET', path, headers: { accept: random.pick(ACCEPTS) } },
});

/** Of its kind, one member in full and the rest as it has to be. */
function membersOf(subject: Subject, random: Random): Readonly<Record<string, Json>> {
  const { fields } = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
  const own = fields.filter(({ name }) => !FREE.has(name));
  if (own.length === 0) return {};
  const { name, schema } = random.pick(own);
  if (schema.kind !== 'struct') return { [name]: filled(schema, random, 40) };
  const inner = random.pick(schema.fields);
  return { [name]: { [inner.name]: filled(inner.schema, random, 35) } };
}

function dryCreation(subject: Subject, path: string, random: Random): Step {
  const base = objectOf(subject);
  const body = { ...base, ...mergedInto(base, membersOf(subject, random)) };
  return { request: { method: 'POST', path, query: { dryRun: 'All' }, body } };
}

/** What a member has already stays beside what is filled in. */
const mergedInto = (
  base: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const before = base[name];
      const areMappings = isMapping(before) && isMapping(value);
      return [name, areMappings ? ({ ...before, ...value } as Json) : value];
    }),
  );

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const changeOf = (subject: Subject, path: string, random: Random): Step => ({
  request: {
    method: 'PATCH',
    path,
    contentType: random.pick(['application/merge-patch+json', 'application/strategic-merge-patch+json']),
    body: membersOf(subject, random),
  },
});

function statusOf(subject: Subject, one: string, random: Random): Step {
  const { fields } = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
  const status = fields.find(({ name }) => name === 'status');
  if (!status) return shown(one, random);
  return {
    request: {
      method: 'PATCH',
      path: `${one}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: filled(status.schema, random, 55) },
    },
  };
}
