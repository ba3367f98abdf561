/** May somebody do something? SubjectAccessReview, its local and its own form. Specification: "Virtual resources". */
import type { Process } from '../../engine/process.ts';
import { goValueJson } from '../../api/codec/go-value-json.ts';
import { goValueText } from '../../api/codec/go-value.ts';
import { goStruct, GoSyntax } from '../../api/go-text.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { FieldError } from '../../api/status.ts';
import type { SubjectAccessReviewSpec } from '../../api/types/authorization-k8s-io-v1.ts';
import { invalid } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import type { AccessAttributes } from '../authorization/authorizer.ts';
import { untilAnswered } from '../authorization/awaited-answer.ts';
import type { Endpoint } from './endpoints.ts';
import { hasFeature } from '../machinery.ts';
import type { Exchange } from '../request/exchange.ts';
import type { UserInfo } from '../request/request.ts';
import { selectorErrors, selectorProblems } from './review-selectors.ts';
import { invalidReview, managedOnly, readReview, respondReview } from './review-object.ts';

const SPEC = FieldPath.of('spec');
const ATTRIBUTES = SPEC.child('resourceAttributes');

export const subjectAccessReview: Endpoint = (exchange) => review(exchange, 'subject');
export const localSubjectAccessReview: Endpoint = (exchange) => review(exchange, 'local');
export const selfSubjectAccessReview: Endpoint = (exchange) => review(exchange, 'self');

type NonResource = NonNullable<SubjectAccessReviewSpec['nonResourceAttributes']>;
type Form = 'subject' | 'local' | 'self';

function* review(exchange: Exchange, form: Form): Process<void> {
  const { draft, validate } = yield* readReview(exchange);
  const { resource } = exchange.routed;
  const review = resource.convert(draft, resource.storageApiVersion);
  const spec = (review['spec'] ?? {}) as SubjectAccessReviewSpec;
  const selecting = hasSelectors(exchange) ? spec.resourceAttributes : undefined;
  const errors = [
    ...attributeErrors(spec),
    ...(form === 'self' ? [] : subjectErrors(spec)),
    ...(selecting ? selectorErrors(selecting, ATTRIBUTES) : []),
    ...metadataErrors(exchange, draft, form),
    ...(form === 'local' ? localErrors(spec, exchange.info.namespace) : []),
  ];
  if (errors.length > 0) throw invalidReview(exchange, errors);
  yield* validate();
  const user = form === 'self' ? exchange.user : subjectOf(spec);
  const asked = attributesOf(spec, user);
  const decision = yield* untilAnswered(() => exchange.authorizer.authorize(asked));
  const { isAllowed, isDenied = false, reason, problem } = decision;
  const problems = [
    ...(problem === undefined ? [] : [problem]),
    ...(selecting ? selectorProblems(selecting, ATTRIBUTES) : []),
  ];
  const metadata = { ...managedOnly(draft), ...(form === 'local' && { namespace: exchange.info.namespace }) };
  respondReview(exchange, draft, metadata, {
    spec: shownSpec(exchange, spec),
    status: {
      allowed: isAllowed,
      ...(isDenied && { denied: true }),
      ...(reason && { reason }),
      ...(problems.length > 0 && { evaluationError: problems.join('; ') }),
    },
  });
}

/** Reviews are about what they say, not about who they are. */
function metadataErrors(exchange: Exchange, { metadata }: DraftObject, form: Form): FieldError[] {
  const { managedFields: _who, namespace, ...rest } = metadata;
  const isBare = Object.values(rest).every(isEmpty) && (form === 'local' || !namespace);
  if (isBare) return [];
  const schema = exchange.types.structOf('meta.k8s.io/v1.ObjectMeta');
  const shown = new GoSyntax(goValueText(schema, metadata), () => goValueJson(schema, metadata));
  const why = form === 'local' ? 'must be empty except for namespace' : 'must be empty';
  return [invalid(FieldPath.of('metadata'), shown, why)];
}

/** A list or map of nothing is none. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const NON_RESOURCE = SPEC.child('nonResourceAttributes');

const shownNonResource = ({ path = '', verb = '' }: NonResource): GoSyntax =>
  goStruct('authorization.NonResourceAttributes', [
    ['Path', path],
    ['Verb', verb],
  ]);

function attributeErrors({
  resourceAttributes,
  nonResourceAttributes,
}: SubjectAccessReviewSpec): FieldError[] {
  if (nonResourceAttributes) {
    const value = shownNonResource(nonResourceAttributes);
    return resourceAttributes
      ? [invalid(NON_RESOURCE, value, 'cannot be specified in combination with resourceAttributes')]
      : [];
  }
  if (resourceAttributes) return [];
  return [
    invalid(
      SPEC.child('resourceAttributes'),
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

const subjectErrors = ({ user, groups = [] }: SubjectAccessReviewSpec): FieldError[] =>
  user || groups.length > 0
    ? []
    : [invalid(SPEC.child('user'), '', 'at least one of user or group must be specified')];

/** What is asked of a namespace is about that namespace. */
function localErrors(
  { resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec,
  namespace: string,
): FieldError[] {
  const asked = resourceAttributes?.namespace ?? '';
  const path = SPEC.child('resourceAttributes', 'namespace');
  return [
    ...(resourceAttributes && asked !== namespace
      ? [invalid(path, asked, 'must match metadata.namespace')]
      : []),
    ...(nonResourceAttributes
      ? [invalid(NON_RESOURCE, shownNonResource(nonResourceAttributes), 'disallowed on this kind of request')]
      : []),
  ];
}

const subjectOf = ({ user = '', groups = [], uid, extra }: SubjectAccessReviewSpec): UserInfo => ({
  name: user,
  groups,
  ...(uid && { uid }),
  ...(extra && { extra }),
});

function attributesOf(
  { resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec,
  user: UserInfo,
): AccessAttributes {
  const {
    verb = '',
    group = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes ?? {};
  return {
    user,
    verb: nonResourceAttributes?.verb ?? verb,
    isResourceRequest: resourceAttributes !== undefined,
    path: nonResourceAttributes?.path ?? '',
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
  };
}

const hasSelectors = ({ server }: Pick<Exchange, 'server'>): boolean =>
  hasFeature(server, 'AuthorizeWithSelectors');

/** Selectors count only with their feature, and are not echoed without it. */
function shownSpec({ server }: Exchange, spec: SubjectAccessReviewSpec): object {
  if (!spec.resourceAttributes || hasSelectors({ server })) return spec;
  const { fieldSelector: _fields, labelSelector: _labels, ...resourceAttributes } = spec.resourceAttributes;
  return { ...spec, resourceAttributes };
}
