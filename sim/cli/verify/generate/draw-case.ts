/** Sequences of requests drawn from a seed; a sequence depends on its area, the seed and its number only. */
import type { GoldenCase, Step } from '../../../../model/golden/replay/golden-case.ts';
import { drawAccess } from './draw-access.ts';
import { drawApplies } from './draw-applies.ts';
import { drawBodies } from './draw-bodies.ts';
import { drawConversions } from './draw-conversions.ts';
import { drawCustomResources } from './draw-custom-resources.ts';
import { drawDeletions } from './draw-deletions.ts';
import { drawField } from './draw-fields.ts';
import { drawFilled } from './draw-filled.ts';
import { drawPolicies } from './draw-policies.ts';
import { drawReads } from './draw-reads.ts';
import { drawStrategic } from './draw-strategic.ts';
import { drawSubresources } from './draw-subresources.ts';
import { drawWatches } from './draw-watches.ts';
import { drawWrites } from './draw-writes.ts';
import { Random } from './random.ts';
import { STEERING_SUBJECTS, type Subject, SUBJECTS } from './subjects.ts';

export const AREAS = [
  'kinds',
  'fields',
  'filled',
  'subresources',
  'reads',
  'watches',
  'applies',
  'strategic-patches',
  'deletions',
  'bodies',
  'access',
  'custom-resources',
  'policies',
  'conversions',
  'machinery',
] as const;
export type Area = (typeof AREAS)[number];

export interface Drawing {
  readonly area: Area;
  readonly seed: number;
  readonly index: number;
  /** Resources such as `apps/v1/deployments`; undefined: all. */
  readonly only?: RegExp | undefined;
}

/** What `machinery` is drawn from, and how often each. */
const MACHINERY: readonly Area[] = [
  ...Array<Area>(5).fill('reads'),
  ...Array<Area>(4).fill('subresources'),
  ...Array<Area>(3).fill('fields'),
  ...Array<Area>(2).fill('watches'),
  ...Array<Area>(4).fill('applies'),
  ...Array<Area>(3).fill('strategic-patches'),
  ...Array<Area>(3).fill('deletions'),
  ...Array<Area>(3).fill('bodies'),
];

/** Without answers. @throws RangeError if no kind is left */
export function drawCase(drawing: Drawing): GoldenCase {
  const { area, seed, index, only } = drawing;
  const random = new Random(area, seed, index);
  if (area === 'machinery') return drawCase({ ...drawing, area: random.pick(MACHINERY) });
  const name = `${area}/${seed}-${index}`;
  if (area === 'custom-resources') return { name, area, ...drawCustomResources(random) };
  if (area === 'access') return { name, area, steps: drawAccess(random) };
  if (area === 'policies') return { name, area, ...drawPolicies(random) };
  if (area === 'conversions') {
    const { subject, steps } = drawConversions(random);
    return { name, area: `${subject.apiVersion}/${subject.resource}`, steps };
  }
  const all = WITH_STEERING.has(area) ? [...SUBJECTS, ...STEERING_SUBJECTS] : SUBJECTS;
  const subjects = all.filter(
    ({ apiVersion, resource, isNamespaced }) =>
      (isNamespaced || area !== 'watches') && (!only || only.test(`${apiVersion}/${resource}`)),
  );
  const { subject, steps } =
    area === 'fields' ? drawField(subjects, index, random) : drawOf(area, random.pick(subjects), random);
  return { name, area: `${subject.apiVersion}/${subject.resource}`, setup: [ACCOUNT], steps };
}

/** Those that keep to dry runs where a kind asks for it. */
const WITH_STEERING: ReadonlySet<Area> = new Set<Area>(['fields', 'filled', 'kinds']);

type AreaOfKinds = Exclude<
  Area,
  'access' | 'conversions' | 'custom-resources' | 'fields' | 'machinery' | 'policies'
>;

const drawOf = (
  area: AreaOfKinds,
  subject: Subject,
  random: Random,
): { readonly subject: Subject; readonly steps: readonly Step[] } => ({
  subject,
  steps: DRAWS[area](subject, random),
});

const DRAWS: Readonly<Record<AreaOfKinds, (subject: Subject, random: Random) => readonly Step[]>> = {
  kinds: drawWrites,
  filled: drawFilled,
  subresources: drawSubresources,
  reads: drawReads,
  watches: drawWatches,
  applies: drawApplies,
  'strategic-patches': drawStrategic,
  deletions: drawDeletions,
  bodies: drawBodies,
};

/** A cluster without controllers has no account for pods. */
const ACCOUNT: Step = {
  request: {
    method: 'POST',
    path: '/api/v1/namespaces/${ns}/serviceaccounts',
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  },
};
