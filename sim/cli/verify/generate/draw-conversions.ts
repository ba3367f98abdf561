/**
 * Objects that are created through one served version and read, listed, changed and applied through another: what each
 * server makes of them in between. Kinds of one version have nothing to convert and are left out.
 */
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutated, seedOf } from './draw-writes.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, type Subject, SUBJECTS } from './subjects.ts';

/** As `SUBJECTS` names them, and the versions of their groups that releases since 1.29 serve besides. */
const OTHER_FORMS: Readonly<Record<string, readonly Partial<Subject>[]>> = {
  'autoscaling/v2/horizontalpodautoscalers': [
    {
      apiVersion: 'autoscaling/v1',
      members: {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 60,
        },
      },
    },
  ],
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': [{ apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3' }],
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': [
    { apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3' },
  ],
};

/** All forms of each kind that has several. */
const KINDS: readonly (readonly Subject[])[] = SUBJECTS.flatMap((subject) => {
  const others = OTHER_FORMS[`${subject.apiVersion}/${subject.resource}`];
  return others ? [[subject, ...others.map((other): Subject => ({ ...subject, ...other }))]] : [];
});

export interface DrawnConversions {
  readonly subject: Subject;
  readonly steps: readonly Step[];
}

export function drawConversions(random: Random): DrawnConversions {
  const forms = random.pick(KINDS);
  const subject = random.pick(forms);
  const seed = seedOf(subject, random);
  // Its name says that it may be made.
  const body = random.chance(70)
    ? { ...mutated(subject, seed, random), metadata: seed['metadata'] ?? {} }
    : seed;
  const first: Step = { request: { method: 'POST', path: collectionOf(subject), body } };
  const uses = Array.from({ length: 5 }, () => ({ request: useOf(random.pick(forms), random) }));
  const reads = forms.map((form): Step => ({ request: { method: 'GET', path: pathOf(form) } }));
  const removal: Step = { request: { method: 'DELETE', path: pathOf(random.pick(forms)) } };
  return { subject, steps: [first, ...reads, ...uses, ...reads, removal] };
}

const pathOf = (form: Subject): string => `${collectionOf(form)}/${nameOf(form)}`;

function useOf(form: Subject, random: Random): RequestStep {
  const path = pathOf(form);
  const dice = random.below(100);
  if (dice < 25) return { method: 'GET', path };
  const body = mutated(form, seedOf(form, random), random);
  if (dice < 45) return { method: 'PUT', path, body };
  const patch = { method: 'PATCH', path, body } as const;
  if (dice < 65) return { ...patch, contentType: 'application/merge-patch+json' };
  const query = { fieldManager: random.pick(['m2', 'm3']), force: random.pick(['true', 'false']) };
  return { ...patch, contentType: 'application/apply-patch+yaml', query };
}
