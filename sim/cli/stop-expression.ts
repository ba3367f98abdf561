/**
 * What `--break` and `break` take: something that happens to an object or to an actor, or a pattern of a line of the trace.
 *
 *     created pods web-0      changed deployments default/web      marked pods (a deletionTimestamp)      deleted pods web-0
 *     crashed node/worker-1   restarted apiserver/0                /PATCH .*status/
 */
import type { Moment } from '../../scenarios/runner/going-back.ts';
import { RELEASE_1_31 } from '../index.ts';
import { didYouMean } from '../../scenarios/language/suggest.ts';

export const STOP_FORMS =
  'created|changed|marked|deleted [KIND [NAME]], crashed|restarted [ACTOR], or /PATTERN/ of a line of the trace';

export type StopExpression =
  { readonly kind: 'moment'; readonly moment: Moment } | { readonly kind: 'wrong'; readonly message: string };

const CHANGES = ['created', 'changed', 'marked', 'deleted'] as const;
const LIVES: Readonly<Record<string, string>> = { crashed: 'crash', restarted: 'restart' };
const VERBS: readonly string[] = [...CHANGES, ...Object.keys(LIVES)];

export function parseStop(text: string): StopExpression {
  const trimmed = text.trim();
  if (trimmed.startsWith('/')) return patternOf(trimmed);
  const [verb = '', ...words] = trimmed.split(/\s+/);
  if (!VERBS.includes(verb))
    return wrong(`\`${verb}\` is nothing that happens${didYouMean(verb, VERBS)}; expected: ${STOP_FORMS}`);
  const isOfActor = LIVES[verb] !== undefined;
  const most = isOfActor ? 1 : 2;
  if (words.length > most)
    return wrong(`\`${words[most] ?? ''}\` is too much after \`${verb}\`; expected: ${STOP_FORMS}`);
  return { kind: 'moment', moment: isOfActor ? ofActor(LIVES[verb] ?? '', words) : ofObject(verb, words) };
}

function patternOf(text: string): StopExpression {
  if (text.length < 3 || !text.endsWith('/'))
    return wrong(`\`${text}\` does not end with \`/\`; expected: ${STOP_FORMS}`);
  try {
    const pattern = new RegExp(text.slice(1, -1), 'u');
    return {
      kind: 'moment',
      moment: { isChange: () => false, isRecord: (record) => pattern.test(record.text) },
    };
  } catch (error) {
    return wrong(`\`${text}\` is no pattern: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const ofObject = (verb: string, [kind, name]: readonly string[]): Moment => ({
  isChange: (seen) =>
    seen.change === verb &&
    (kind === undefined || isKind(seen.kind, kind)) &&
    (name === undefined || name === seen.name || name === `${seen.namespace}/${seen.name}`),
  isRecord: () => false,
});

const ofActor = (kind: string, [actor]: readonly string[]): Moment => ({
  isChange: () => false,
  isRecord: (record) => record.kind === kind && (actor === undefined || record.actor === actor),
});

/** `Pod`, `pod`, `pods` and `po` are the same. */
export function isKind(kind: string, word: string): boolean {
  const [lower, wanted] = [kind.toLowerCase(), word.toLowerCase()];
  const plurals = [`${lower}s`, `${lower}es`, lower.replace(/y$/, 'ies')];
  return wanted === lower || plurals.includes(wanted) || shortNamesOf(kind).includes(wanted);
}

const shortNamesOf = (kind: string): readonly string[] =>
  RELEASE_1_31.catalog.resources.all.find((resource) => resource.kind === kind)?.shortNames ?? [];

/** Names of built-in kinds, as they may be typed. */
export const knownKinds = (): readonly string[] =>
  RELEASE_1_31.catalog.resources.all.flatMap(({ kind, resource, shortNames }) => [
    kind,
    resource,
    ...shortNames,
  ]);

const wrong = (message: string): StopExpression => ({ kind: 'wrong', message });
