/** Which of its names a definition gets: those that no other definition of the group uses. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from '../../api/types/apiextensions-k8s-io-v1.ts';
import { goQuote } from '../../api/go-text.ts';
import type { Draft } from '../registry/strategy.ts';
import type { Condition } from './definition-conditions.ts';

export interface NamesDecision {
  readonly names: CustomResourceDefinitionNames;
  readonly condition: Condition;
}

export function decideNames(
  definition: CustomResourceDefinition,
  all: readonly CustomResourceDefinition[],
): NamesDecision {
  const others = all.filter(
    ({ metadata, spec }) =>
      spec.group === definition.spec.group && metadata.name !== definition.metadata.name,
  );
  const taken = takenBy(others);
  const wanted = definition.spec.names;
  const present = definition.status?.acceptedNames ?? { plural: '', kind: '' };
  const names: Draft<CustomResourceDefinitionNames> = {
    ...present,
    ...(present.shortNames && { shortNames: [...present.shortNames] }),
  } as Draft<CustomResourceDefinitionNames>;
  let conflict: Pick<Condition, 'reason' | 'message'> | undefined;
  const settle = (
    member: 'plural' | 'singular' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = wanted[member] ?? '';
    if (name !== (present[member] ?? '') && used.has(name)) conflict = { reason, message: inUse(name) };
    else if (name !== '' || member === 'plural' || member === 'kind') names[member] = name;
    else delete names[member];
  };
  settle('plural', taken.resources, 'PluralConflict');
  settle('singular', taken.resources, 'SingularConflict');
  const shortNames = wanted.shortNames ?? [];
  const held = new Set(present.shortNames);
  const clashes = shortNames.filter((name) => !held.has(name) && taken.resources.has(name));
  if (clashes.length > 0) {
    const texts = clashes.map(inUse);
    conflict = {
      reason: 'ShortNamesConflict',
      message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
    };
  } else if (shortNames.length > 0) names.shortNames = [...shortNames];
  else delete names.shortNames;
  settle('kind', taken.kinds, 'KindConflict');
  settle('listKind', taken.kinds, 'ListKindConflict');
  if (wanted.categories) names.categories = [...wanted.categories];
  else delete names.categories;
  const condition = conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  return { names, condition };
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

function takenBy(definitions: readonly CustomResourceDefinition[]) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of definitions) {
    const names = status?.acceptedNames;
    if (!names) continue;
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])])
      if (name !== '') resources.add(name);
    for (const name of [names.kind, names.listKind ?? '']) if (name !== '') kinds.add(name);
  }
  return { resources, kinds };
}
