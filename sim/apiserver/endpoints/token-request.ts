/** POST to `serviceaccounts/<name>/token`: a token of the account, bound to an object if that is asked for. */
import type { Process } from '../../engine/process.ts';
import { canonical } from '../../api/codec/canonical.ts';
import type { ApiObject, ObjectMeta } from '../../api/object.ts';
import { badRequest, conflict, type FieldError, notFound } from '../../api/status.ts';
import { formatTime } from '../../api/time-format.ts';
import type { TokenRequestSpec } from '../../api/types/authentication-k8s-io-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { invalid, invalidError } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import {
  type BoundKind,
  type NamedObject,
  TOKEN_ISSUER,
  type TokenClaims,
} from '../authentication/service-account-tokens.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Draft, DraftObject } from '../registry/strategy.ts';
import { managedFieldsOfEndpoint } from '../verbs/managed-fields.ts';
import { EndpointAdmission } from './endpoint-admission.ts';
import { createOptionsOf } from '../options/create-options.ts';
import { respondTyped } from '../representation/respond.ts';
import { checkNamespace } from '../verbs/create-object.ts';
import { decodeObject, noteRead } from '../verbs/decode-object.ts';
import { ExchangeHookContext } from '../verbs/hook-context.ts';

const KIND = 'TokenRequest';
const GROUP = 'authentication.k8s.io';
const API_VERSION = `${GROUP}/v1`;
const SCHEMA_KEY = `${API_VERSION}.${KIND}`;
const KIND_REFERENCE = { group: GROUP, kind: KIND };
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3_600;

export function* tokenRequest(exchange: Exchange): Process<void> {
  const schema = exchange.types.structOf(SCHEMA_KEY);
  const options = createOptionsOf(exchange);
  const expected = {
    group: GROUP,
    version: 'v1',
    apiVersion: API_VERSION,
    kind: KIND,
    schema,
    goTypeName: `authentication.${KIND}`,
  };
  const draft = decodeObject(exchange, expected, options.fieldValidation);
  setDefaults(draft);
  noteRead(exchange, schema, draft);
  checkNamespace(exchange, exchange.routed.resource, draft.metadata);
  managedFieldsOfEndpoint(exchange, draft, { ...expected, fieldManager: options.fieldManager });
  const { name, namespace } = exchange.info;
  const { isDryRun } = options;
  const admission = new EndpointAdmission(exchange, {
    operation: 'CREATE',
    draft,
    kind: expected,
    name,
    isDryRun,
  });
  yield* admission.admit();
  const context = new ExchangeHookContext(exchange, isDryRun);
  checkName(draft.metadata.name ?? '', name);
  const account = context.lookup('serviceaccounts', namespace, name);
  if (!account) throw notFound({ group: '', resource: 'serviceaccounts' }, name);
  const spec = setDefaults(draft);
  checkDuration(spec.expirationSeconds);
  if (!spec.audiences || spec.audiences.length === 0) spec.audiences = [TOKEN_ISSUER];
  noteUid(exchange, draft.metadata, account.metadata.uid ?? '');
  Object.assign(draft.metadata, { name, namespace, creationTimestamp: formatTime(exchange.receivedMs) });
  yield* admission.validate();
  const issuedAt = Math.floor(exchange.receivedMs / 1_000);
  const claims: TokenClaims = {
    id: context.uuid(),
    namespace,
    account: { name, uid: account.metadata.uid ?? '' },
    audiences: spec.audiences,
    bound: boundObjects(context, namespace, name, spec.boundObjectRef),
    issuedAt,
    expiresAt: issuedAt + spec.expirationSeconds,
  };
  context.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${claims.id}`);
  const answer = canonical(schema, {
    ...draft,
    status: {
      token: exchange.server.serviceAccountTokens.issue(claims),
      expirationTimestamp: formatTime(claims.expiresAt * 1_000),
    },
  }) as ApiObject;
  respondTyped(exchange, 201, answer, expected);
}

/** Since 1.34 a request may say whose token it means by more than a name; before, what it says is dropped. */
function noteUid(exchange: Exchange, meta: Draft<ObjectMeta>, uid: string): void {
  const { features } = exchange.server;
  if (!features.isReleasedBy('1.34')) {
    delete meta.uid;
    return;
  }
  meta.uid ||= uid;
  if (meta.uid === uid) return;
  const why = `the UID in the token request (${meta.uid}) does not match the UID of the service account (${uid})`;
  if (features.isFeatureEnabled('TokenRequestServiceAccountUIDValidation'))
    throw conflict({ group: GROUP, resource: KIND }, exchange.info.name, why);
  exchange.warn(
    `${why} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error`,
  );
}

type SpecDraft = Draft<TokenRequestSpec> & { expirationSeconds: number };

function setDefaults(draft: DraftObject): SpecDraft {
  const sent = (draft['spec'] ?? {}) as Draft<TokenRequestSpec>;
  const spec = {
    ...sent,
    expirationSeconds: sent.expirationSeconds ?? DEFAULT_SECONDS,
    boundObjectRef: sent.boundObjectRef ?? null,
  } as SpecDraft;
  draft['spec'] = spec;
  return spec;
}

function checkName(sent: string, name: string): void {
  if (sent === '' || sent === name) return;
  const why = 'must match the service account name if specified';
  throw invalidError(KIND_REFERENCE, name, [invalid(FieldPath.of('metadata', 'name'), sent, why)]);
}

function checkDuration(seconds: number): void {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec', 'expirationSeconds');
  if (seconds < MIN_SECONDS)
    errors.push(invalid(path, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_SECONDS)
    errors.push(invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (errors.length > 0) throw invalidError(KIND_REFERENCE, '', errors);
}

type Reference = TokenRequestSpec['boundObjectRef'];

const BINDABLE: Readonly<Record<string, BoundKind>> = { Pod: 'pod', Secret: 'secret', Node: 'node' };

/** What the token will depend on. @throws ApiError */
function boundObjects(
  context: ExchangeHookContext,
  namespace: string,
  account: string,
  reference: Reference,
): TokenClaims['bound'] {
  if (!reference) return {};
  const { kind = '', apiVersion = '', name = '', uid = '' } = reference;
  // Of the API version the group alone is looked at.
  const bindable = apiVersion.includes('/') ? undefined : BINDABLE[kind];
  if (!bindable) {
    throw badRequest(
      `cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`,
    );
  }
  if (name === '') throw badRequest('Name parameter required.');
  const resource = `${bindable}s`;
  const object = context.lookup(resource, bindable === 'node' ? '' : namespace, name);
  if (!object) throw notFound({ group: '', resource }, name);
  const found = { name, uid: object.metadata.uid ?? '' };
  if (bindable === 'pod' && ((object as Pod).spec?.serviceAccountName ?? '') !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  if (uid !== '' && uid !== found.uid) {
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const node = bindable === 'pod' ? nodeOf(context, object) : undefined;
  return { [bindable]: found, ...(node && { node }) };
}

function nodeOf(context: ExchangeHookContext, { spec }: Pod): NamedObject | undefined {
  const name = spec?.nodeName;
  return name ? { name, uid: context.lookup('nodes', '', name)?.metadata.uid ?? '' } : undefined;
}
