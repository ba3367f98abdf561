/** What is wrong with annotations that say what containers do: misspelt members would do nothing. */
import { behaviourProblem } from '../../sim/index.ts';
import type { Path } from './read-value.ts';
import { didYouMean } from './suggest.ts';

interface StrangeBehaviour {
  /** Within the manifest. */
  readonly path: Path;
  readonly message: string;
  readonly expected: string;
}

const PREFIX = 'behaviour.kubesim.dev/';
/** Where a pod, or what makes pods, keeps the annotations of pods. */
const PLACES: readonly Path[] = [
  ['metadata', 'annotations'],
  ['spec', 'template', 'metadata', 'annotations'],
  ['spec', 'jobTemplate', 'spec', 'template', 'metadata', 'annotations'],
];

export function behaviourFindings(manifest: Readonly<Record<string, unknown>>): readonly StrangeBehaviour[] {
  return PLACES.flatMap((place) => {
    const annotations = at(manifest, place);
    return Object.entries(annotations).flatMap(([name, value]) => {
      if (!name.startsWith('behaviour.')) return [];
      const found = name.startsWith(PREFIX) ? problemOf(value) : wrongPrefix(name);
      return found === undefined
        ? []
        : {
            path: [...place, name],
            message: `the annotation \`${name}\`: ${found}`,
            expected: 'JSON with members of "Workloads" in the reference',
          };
    });
  });
}

const wrongPrefix = (name: string): string | undefined =>
  didYouMean(name.split('/', 1)[0] ?? '', [PREFIX.slice(0, -1)]).slice(2) || undefined;

function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'it is no text';
  // Variables are filled in when the step runs, and checked then.
  return value.includes('${') ? undefined : behaviourProblem(value);
}

function at(value: unknown, path: Path): Readonly<Record<string, unknown>> {
  const found = path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
  return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>) : {};
}
