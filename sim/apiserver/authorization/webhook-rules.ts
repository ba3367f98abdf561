/** What the configuration may say of a webhook that decides on access. Messages are the real server's. */
import { formatDuration, parseDuration } from '../../api/time-format.ts';
import { GoSyntax, goQuote } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import {
  duplicate,
  internalProblem,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { compileMatchCondition, type MatchCondition } from './match-conditions.ts';
import type { WebhookRules } from './webhook-authorizer.ts';

interface WebhookDocument {
  readonly authorizedTTL?: string;
  readonly unauthorizedTTL?: string;
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
  readonly matchConditions?: readonly { readonly expression?: string }[];
}

export interface AuthorizerDocument {
  readonly type?: string;
  readonly name?: string;
  readonly webhook?: WebhookDocument;
}

/** Why a file cannot be read as one; undefined: it can. */
export type FileProblem = (path: string) => string | undefined;

interface Ruled {
  readonly rules: WebhookRules;
  readonly errors: readonly FieldError[];
}

const NANOS_PER_MS = 1_000_000n;
const SECOND = 1_000_000_000n;
const LONGEST_TIMEOUT = 30n * SECOND;
const ALLOWED_TTL = 300n * SECOND;
const REFUSED_TTL = 30n * SECOND;

/** No time at all: the one that is usual. */
const nanosOf = (text: string | undefined, usual = 0n): bigint => {
  const nanos = text === undefined ? 0n : parseDuration(text);
  return nanos === 0n ? usual : nanos;
};

export function ruledWebhook(
  { name = '', webhook = {} }: AuthorizerDocument,
  path: FieldPath,
  problemOfFile: FileProblem,
): Ruled {
  const timeout = nanosOf(webhook.timeout);
  const allowedTtl = nanosOf(webhook.authorizedTTL, ALLOWED_TTL);
  const refusedTtl = nanosOf(webhook.unauthorizedTTL, REFUSED_TTL);
  const { conditions, errors } = ruledConditions(webhook, path.child('matchConditions'));
  return {
    errors: [
      ...timeoutErrors(timeout, path.child('timeout')),
      ...ttlErrors(allowedTtl, path.child('authorizedTTL')),
      ...ttlErrors(refusedTtl, path.child('unauthorizedTTL')),
      ...choiceErrors(webhook, path),
      ...connectionErrors(webhook.connectionInfo ?? {}, path.child('connectionInfo'), problemOfFile),
      ...errors,
    ],
    rules: {
      name,
      version: webhook.subjectAccessReviewVersion === 'v1beta1' ? 'v1beta1' : 'v1',
      timeoutMs: Number(timeout / NANOS_PER_MS),
      timeoutText: formatDuration(timeout),
      allowedTtlMs: Number(allowedTtl / NANOS_PER_MS),
      refusedTtlMs: Number(refusedTtl / NANOS_PER_MS),
      isFailureDenied: webhook.failurePolicy === 'Deny',
      conditions,
      kubeConfigFile: webhook.connectionInfo?.kubeConfigFile ?? '',
    },
  };
}

function timeoutErrors(timeout: bigint, path: FieldPath): readonly FieldError[] {
  if (timeout === 0n) return [required(path)];
  return timeout > LONGEST_TIMEOUT || timeout < 0n
    ? [invalid(path, formatDuration(timeout), 'must be > 0s and <= 30s')]
    : [];
}

const ttlErrors = (ttl: bigint, path: FieldPath): readonly FieldError[] =>
  ttl < 0n ? [invalid(path, formatDuration(ttl), 'must be > 0s')] : [];

function choiceErrors(webhook: WebhookDocument, path: FieldPath): readonly FieldError[] {
  const {
    subjectAccessReviewVersion: version = '',
    matchConditionSubjectAccessReviewVersion: conditionVersion = '',
    failurePolicy = '',
    matchConditions = [],
  } = webhook;
  const versionOfConditions = path.child('matchConditionSubjectAccessReviewVersion');
  return [
    ...oneOf(version, ['v1', 'v1beta1'], path.child('subjectAccessReviewVersion')),
    ...(conditionVersion === ''
      ? matchConditions.length > 0
        ? [required(versionOfConditions, 'required if match conditions are specified')]
        : []
      : oneOf(conditionVersion, ['v1'], versionOfConditions)),
    ...oneOf(failurePolicy, ['NoOpinion', 'Deny'], path.child('failurePolicy')),
  ];
}

function oneOf(value: string, known: readonly string[], path: FieldPath): readonly FieldError[] {
  if (value === '') return [required(path)];
  return known.includes(value) ? [] : [notSupported(path, value, known)];
}

const IN_CLUSTER = 'InClusterConfig';
const KUBECONFIG = 'KubeConfigFile';

function connectionErrors(
  connection: NonNullable<WebhookDocument['connectionInfo']>,
  path: FieldPath,
  problemOfFile: FileProblem,
): readonly FieldError[] {
  const { type = '', kubeConfigFile: file } = connection;
  const own = path.child('kubeConfigFile');
  if (type === '') return [required(path.child('type'))];
  if (type === IN_CLUSTER)
    return file === undefined ? [] : [invalid(own, file, `can only be set when type=${KUBECONFIG}`)];
  if (type !== KUBECONFIG)
    return [notSupported(path.child('type'), shownConnection(connection), [IN_CLUSTER, KUBECONFIG])];
  if (file === undefined || file === '') return [required(own)];
  if (!file.startsWith('/')) return [invalid(own, file, 'must be an absolute path')];
  const problem = problemOfFile(file);
  return problem === undefined ? [] : [invalid(own, file, problem)];
}

/** The real server shows all of it; where the file is named it shows an address in memory instead. */
const shownConnection = ({
  type = '',
  kubeConfigFile,
}: NonNullable<WebhookDocument['connectionInfo']>): GoSyntax =>
  new GoSyntax(
    `apiserver.WebhookConnectionInfo{Type:${goQuote(type)}, KubeConfigFile:(*string)(${kubeConfigFile === undefined ? 'nil' : '0xc000000000'})}`,
  );

const MOST_CONDITIONS = 64;

function ruledConditions(
  { matchConditions = [] }: WebhookDocument,
  path: FieldPath,
): { readonly conditions: readonly MatchCondition[]; readonly errors: readonly FieldError[] } {
  if (matchConditions.length > MOST_CONDITIONS)
    return { conditions: [], errors: [tooMany(path, matchConditions.length, MOST_CONDITIONS)] };
  const seen = new Set<string>();
  const conditions: MatchCondition[] = [];
  const errors: FieldError[] = [];
  for (const [index, { expression = '' }] of matchConditions.entries()) {
    const own = path.index(index).child('expression');
    if (expression.trim() === '') errors.push(required(own));
    else if (seen.has(expression)) errors.push(duplicate(own, expression));
    else {
      seen.add(expression);
      const compiled = compileMatchCondition(expression);
      if (compiled.kind === 'condition') conditions.push(compiled.condition);
      else if (compiled.kind === 'invalid') errors.push(invalid(own, expression, compiled.detail));
      else errors.push(internalProblem(own, compiled.detail));
    }
  }
  return { conditions, errors };
}
