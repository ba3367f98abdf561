/**
 * AuthorizationConfiguration: who is asked what users may do, in which order. From the text of the file to what a server
 * can act by, or to the words with which the real one refuses it. Pure but for what the caller knows of files.
 */
import { append } from '../../api/append.ts';
import type { FieldError } from '../../api/status.ts';
import {
  aggregateText,
  duplicate,
  invalid,
  notSupported,
  required,
} from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { dns1123Subdomain } from '../../api/validation/names.ts';
import { ConfigurationError, readConfiguration } from '../configuration/configuration-document.ts';
import { type AuthorizerDocument, type FileProblem, ruledWebhook } from './webhook-rules.ts';
import type { WebhookRules } from './webhook-authorizer.ts';

export const AUTHORIZER_TYPES = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'] as const;
export type AuthorizerType = (typeof AUTHORIZER_TYPES)[number];

export type AuthorizerConfiguration =
  | { readonly type: 'Webhook'; readonly webhook: WebhookRules }
  | { readonly type: Exclude<AuthorizerType, 'Webhook'> };

export type AuthorizationConfiguration = readonly AuthorizerConfiguration[];

/** What may be in the file, and what has to be. */
export interface AuthorizationTerms {
  readonly problemOfFile: FileProblem;
  /** Types that are there already, and cannot go while the server runs. */
  readonly required?: ReadonlySet<AuthorizerType>;
}

const ROOT = FieldPath.of('authorizers');

/** @throws ConfigurationError */
export function parseAuthorizationConfiguration(
  text: string,
  { problemOfFile, required: wanted = new Set() }: AuthorizationTerms,
): AuthorizationConfiguration {
  const documents = documentsIn(text);
  const errors: FieldError[] = [];
  if (documents.length === 0) errors.push(required(ROOT, 'at least one authorization mode must be defined'));
  const webhooks = new Map<AuthorizerDocument, WebhookRules>();
  for (const [index, each] of documents.entries())
    append(errors, documentErrors(documents.slice(0, index), each, { index, problemOfFile, webhooks }));
  if (errors.length > 0) throw new ConfigurationError(aggregateText(errors));
  const problems = [...misnamed(documents), ...missing(documents, wanted)];
  if (problems.length > 0)
    throw new ConfigurationError(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  return documents.flatMap((each): AuthorizationConfiguration => {
    const webhook = webhooks.get(each);
    if (webhook) return [{ type: 'Webhook', webhook }];
    const type = typeOf(each);
    return type === undefined || type === 'Webhook' ? [] : [{ type }];
  });
}

function documentsIn(text: string): readonly AuthorizerDocument[] {
  if (text === '') return [];
  try {
    const { authorizers = [] } = readConfiguration(text, 'AuthorizationConfiguration') as {
      readonly authorizers?: readonly AuthorizerDocument[];
    };
    return authorizers;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`failed to load AuthorizationConfiguration from file: ${error.message}`);
  }
}

const typeOf = ({ type }: AuthorizerDocument): AuthorizerType | undefined =>
  AUTHORIZER_TYPES.find((each) => each === type);

interface Place {
  readonly index: number;
  readonly problemOfFile: FileProblem;
  /** Are told of here. */
  readonly webhooks: Map<AuthorizerDocument, WebhookRules>;
}

function documentErrors(
  before: readonly AuthorizerDocument[],
  document: AuthorizerDocument,
  { index, problemOfFile, webhooks }: Place,
): readonly FieldError[] {
  const path = ROOT.index(index);
  const { type = '', webhook } = document;
  if (type === '') return [required(path.child('type'))];
  const known = typeOf(document);
  if (known === undefined) return [notSupported(path.child('type'), type, AUTHORIZER_TYPES)];
  if (known !== 'Webhook' && before.some((each) => each.type === type))
    return [duplicate(path.child('type'), type)];
  const errors = nameErrors(before, document, path.child('name'));
  if (known !== 'Webhook')
    return webhook
      ? [...errors, invalid(path.child('webhook'), 'non-null', 'may only be specified when type=Webhook')]
      : errors;
  if (!webhook) return [...errors, required(path.child('webhook'), 'required when type=Webhook')];
  const ruled = ruledWebhook(document, path, problemOfFile);
  webhooks.set(document, ruled.rules);
  return [...errors, ...ruled.errors];
}

function nameErrors(
  before: readonly AuthorizerDocument[],
  { name = '' }: AuthorizerDocument,
  path: FieldPath,
): readonly FieldError[] {
  if (name === '') return [required(path)];
  // Those that were not even looked at have no name.
  const isTaken = before.some((each) => (each.name ?? '') === name && hasName(before, each));
  if (isTaken) return [duplicate(path, name)];
  const findings = dns1123Subdomain(name);
  return findings.length === 0
    ? []
    : [invalid(path, name, `authorizer name is invalid: ${findings.join(', ')}`)];
}

function hasName(all: readonly AuthorizerDocument[], document: AuthorizerDocument): boolean {
  const type = typeOf(document);
  if (type === undefined) return false;
  return type === 'Webhook' || all.find((each) => each.type === type) === document;
}

/** Those of the server's own have the name of their type. */
const misnamed = (documents: readonly AuthorizerDocument[]): readonly string[] =>
  documents.flatMap(({ type = '', name = '' }) =>
    type === 'Webhook' || name === type.toLowerCase()
      ? []
      : [`expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`],
  );

function missing(
  documents: readonly AuthorizerDocument[],
  wanted: ReadonlySet<AuthorizerType>,
): readonly string[] {
  const gone = [...wanted].filter((type) => !documents.some((each) => each.type === type)).toSorted();
  return gone.length > 0 ? [`missing required types: [${gone.join(' ')}]`] : [];
}
