/** Which of the sources use versions that a release deprecates or no longer serves, and what to write instead. */
import {
  type KindVersion,
  lifeCycleOf,
  type LifeStage,
  stageAt,
  successorAt,
} from '../../api/life-cycle/life-cycles.ts';
import { migrated } from '../../api/life-cycle/migrate.ts';
import { childOf, type Parts, wordOf } from '../../api/life-cycle/migrations/migration.ts';
import type { ReleaseName } from '../../api/life-cycle/release-name.ts';
import { releaseNumber } from '../../api/life-cycle/release-name.ts';
import type { Source } from './read-sources.ts';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly apiVersion: string;
  /** Kind of an object, or resource of a request. */
  readonly kind: string;
  /** `namespace/name`, or who asked. */
  readonly subject: string;
  readonly stage: Exclude<LifeStage, 'served'>;
  readonly introduced?: ReleaseName;
  readonly deprecated?: ReleaseName;
  readonly removed?: ReleaseName;
  readonly replacement?: KindVersion;
  /** What to look at beside the version. */
  readonly notes: readonly string[];
}

export interface Scan {
  readonly target: ReleaseName;
  /** Objects and requests that were looked at. */
  readonly looked: number;
  readonly findings: readonly Finding[];
}

export function scanned(sources: readonly Source[], target: ReleaseName): Scan {
  const findings = sources.flatMap((source) =>
    source.kind === 'audit'
      ? requestFindings(source, target)
      : source.objects.flatMap((object) => objectFindings(object, source, target)),
  );
  const looked = sources.reduce(
    (sum, source) => sum + (source.kind === 'audit' ? 1 : source.objects.length),
    0,
  );
  return { target, looked, findings };
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function objectFindings(object: Parts, { file, line }: Place, target: ReleaseName): readonly Finding[] {
  const { apiVersion, kind } = object;
  const life = lifeCycleOf({ apiVersion: String(apiVersion), kind: String(kind) });
  if (!life) return [];
  const stage = stageAt(life, target);
  if (stage === 'served') return [];
  const successor = stage === 'not yet' ? undefined : successorAt(life, target);
  const { namespace, name, generateName } = childOf(object['metadata']);
  const own = wordOf(name ?? generateName);
  return [
    {
      file,
      line,
      apiVersion: life.apiVersion,
      kind: life.kind,
      subject: namespace === undefined ? own : `${wordOf(namespace)}/${own}`,
      stage,
      introduced: life.introduced,
      ...(life.deprecated !== undefined && { deprecated: life.deprecated }),
      ...(life.removed !== undefined && { removed: life.removed }),
      ...(successor && { replacement: { apiVersion: successor.apiVersion, kind: successor.kind } }),
      notes: successor ? (migrated(object, target)?.notes ?? []) : [],
    },
  ];
}

/** What the server that was asked has said of the request. */
function requestFindings(
  { file, line, event }: Place & { readonly event: Parts },
  target: ReleaseName,
): readonly Finding[] {
  const annotations = childOf(event['annotations']);
  if (annotations['k8s.io/deprecated'] !== 'true' || event['stage'] === 'RequestReceived') return [];
  const { apiGroup = '', apiVersion, resource, subresource } = childOf(event['objectRef']);
  const removed = annotations['k8s.io/removed-release'];
  const isGone = typeof removed === 'string' && releaseNumber(removed) <= releaseNumber(target);
  return [
    {
      file,
      line,
      apiVersion: apiGroup === '' ? wordOf(apiVersion) : `${wordOf(apiGroup)}/${wordOf(apiVersion)}`,
      kind: `${wordOf(resource)}${subresource === undefined ? '' : `/${wordOf(subresource)}`}`,
      subject: `${wordOf(event['verb'])} by ${wordOf(childOf(event['user'])['username'])}`,
      stage: isGone ? 'removed' : 'deprecated',
      ...(typeof removed === 'string' && { removed }),
      notes: [],
    },
  ];
}

/** Requests that differ in nothing but their line are one finding, at the first. */
export function merged(findings: readonly Finding[]): readonly (Finding & { readonly times: number })[] {
  const known = new Map<string, Finding & { times: number }>();
  for (const finding of findings) {
    const { line: _line, ...rest } = finding;
    const isOfObject = finding.introduced !== undefined;
    const key = JSON.stringify(isOfObject ? finding : rest);
    const before = known.get(key);
    if (before) before.times++;
    else known.set(key, { ...finding, times: 1 });
  }
  return [...known.values()];
}
