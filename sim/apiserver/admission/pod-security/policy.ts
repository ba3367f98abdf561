/**
 * What a namespace asks of its pods: a level and its version for each of three modes, from the labels
 * `pod-security.kubernetes.io/…`. Specification: not shown (Kubernetes, "Pod Security Admission").
 */
import type { FieldError } from '../../../api/status.ts';
import { invalid } from '../../../api/validation/field-error.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';

/** From the most open to the strictest. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof LEVELS)[number];

export interface LeveledVersion {
  readonly level: Level;
  /** The minor release, such as 25 for `v1.25`; Infinity: `latest`. */
  readonly minor: number;
}

/** Refuse, note in the audit log, warn. */
export interface PodSecurityPolicy {
  readonly enforce: LeveledVersion;
  readonly audit: LeveledVersion;
  readonly warn: LeveledVersion;
}

export interface ReadPolicy {
  readonly policy: PodSecurityPolicy;
  readonly errors: readonly FieldError[];
}

type Labels = Readonly<Record<string, string>>;

const PREFIX = 'pod-security.kubernetes.io/';
const LABELS = FieldPath.of('metadata', 'labels');
const OPEN: LeveledVersion = { level: 'privileged', minor: Infinity };
const UNLABELLED: ReadPolicy = { policy: { enforce: OPEN, audit: OPEN, warn: OPEN }, errors: [] };

/** `restricted:latest` */
export const textOf = ({ level, minor }: LeveledVersion): string =>
  `${level}:${minor === Infinity ? 'latest' : `v1.${minor}`}`;

export const isStricter = (one: Level, other: Level): boolean => LEVELS.indexOf(one) > LEVELS.indexOf(other);

export const isSame = (one: LeveledVersion, other: LeveledVersion): boolean =>
  one.level === other.level && one.minor === other.minor;

/** Without labels of its own a namespace asks for nothing. A wrong level is the strictest to enforce, and open else. */
export function policyOf(labels: Labels | undefined): ReadPolicy {
  if (!labels || !hasOwnLabels(labels)) return UNLABELLED;
  const errors: FieldError[] = [];
  const enforceLevel = levelOf(labels, 'enforce', errors);
  const enforce: LeveledVersion = {
    level: enforceLevel === 'wrong' ? 'restricted' : (enforceLevel ?? 'privileged'),
    minor: minorOf(labels, 'enforce', errors) ?? Infinity,
  };
  const auditLevel = levelOf(labels, 'audit', errors);
  const audit: LeveledVersion = {
    level: auditLevel === 'wrong' ? 'privileged' : (auditLevel ?? 'privileged'),
    minor: minorOf(labels, 'audit', errors) ?? Infinity,
  };
  const warnLevel = levelOf(labels, 'warn', errors);
  const warnMinor = minorOf(labels, 'warn', errors);
  // Where nothing is said of warnings, they tell what is enforced.
  const follows = warnLevel === undefined && enforceLevel !== undefined && enforceLevel !== 'wrong';
  const warn: LeveledVersion = follows
    ? { level: enforceLevel, minor: warnMinor ?? enforce.minor }
    : {
        level: warnLevel === 'wrong' ? 'privileged' : (warnLevel ?? 'privileged'),
        minor: warnMinor ?? Infinity,
      };
  return { policy: { enforce, audit, warn }, errors };
}

function hasOwnLabels(labels: Labels): boolean {
  for (const name in labels) if (name.startsWith(PREFIX)) return true;
  return false;
}

type Mode = 'enforce' | 'audit' | 'warn';

function levelOf(labels: Labels, mode: Mode, errors: FieldError[]): Level | 'wrong' | undefined {
  const label = PREFIX + mode;
  const text = labels[label];
  if (text === undefined) return undefined;
  const level = LEVELS.find((known) => known === text);
  if (level) return level;
  errors.push(invalid(LABELS.key(label), text, `must be one of ${LEVELS.join(', ')}`));
  return 'wrong';
}

/** Releases need not be known: `v1.99` is fine. */
function minorOf(labels: Labels, mode: Mode, errors: FieldError[]): number | undefined {
  const label = `${PREFIX}${mode}-version`;
  const text = labels[label];
  if (text === undefined) return undefined;
  if (text === 'latest') return Infinity;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  if (minor !== undefined) return Number(minor);
  errors.push(invalid(LABELS.key(label), text, 'must be "latest" or "v1.x"'));
  return Infinity;
}
