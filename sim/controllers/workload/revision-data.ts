/**
 * What a ControllerRevision keeps of a workload: a patch that puts its pod template back. Two revisions are equal when
 * the patches are, letter by letter, so its text is written as Go writes a map. Pure.
 */
import { canonical } from '../../api/codec/canonical.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import { compareStrings } from '../../api/go-text.ts';
import type { Json, OwnerReference } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type { ControllerRevision } from '../../api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/types/core-v1.ts';
import type { NewObject } from '../../client/options.ts';

export interface RevisionData {
  readonly data: Json;
  readonly text: string;
}

const known = new WeakMap<PodTemplateSpec, RevisionData>();

export function revisionDataOf(template: PodTemplateSpec): RevisionData {
  const present = known.get(template);
  if (present) return present;
  const schema = RELEASE_1_31.catalog.types.structOf('v1.PodTemplateSpec');
  const data = sorted({ spec: { template: { ...canonical(schema, template), $patch: 'replace' } } });
  const made = { data, text: encodeJson(data) };
  known.set(template, made);
  return made;
}

/** The template that a revision puts back; undefined: its data are no patch of ours. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = memberOf(data, 'spec');
  const template = memberOf(spec, 'template');
  if (typeof template !== 'object' || template === null) return undefined;
  const { $patch: _, ...rest } = template as Readonly<Record<string, unknown>>;
  return rest;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The data of a revision that came back from the API. */
export const textOfRevision = ({ data }: ControllerRevision): string => encodeJson(sorted(data ?? null));

function sorted(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([a], [b]) => compareStrings(a, b));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

export interface RevisionFacts {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly owner: OwnerReference;
  readonly data: Json;
  readonly revision: number;
}

export const newRevision = ({
  name,
  namespace,
  labels,
  annotations,
  owner,
  data,
  revision,
}: RevisionFacts): NewObject<ControllerRevision> => ({
  metadata: { name, namespace, labels, ...(annotations && { annotations }), ownerReferences: [owner] },
  data,
  revision,
});

/** By revision, then by age, then by name. */
export const byRevision = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  revisions.toSorted((a, b) => a.revision - b.revision || compareStrings(ageKey(a), ageKey(b)));

const ageKey = ({ metadata: { creationTimestamp, name = '' } }: ControllerRevision): string =>
  `${creationTimestamp ?? ''} ${name}`;
