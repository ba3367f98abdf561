/** The shapes of the files that configure a server (`apiserver.config.k8s.io`): the catalog has no kinds that are in no API. */
import type { FieldSchema, ScalarName, Schema, StructSchema } from '../../api/schema.ts';

const scalar = (name: ScalarName): Schema => ({ kind: 'scalar', scalar: name });
const STRING = scalar('string');
const BOOLEAN = scalar('boolean');
const DURATION = scalar('duration');

const listOf = (items: Schema): Schema => ({ kind: 'list', items, listType: 'atomic', listMapKeys: [] });

const field = (name: string, schema: Schema, pointer = false): FieldSchema => ({
  name,
  schema,
  pointer,
  omitEmpty: true,
  required: false,
  proto: 0,
});

/** `version`: messages name Go's types with it. */
type Shapes = (version: string) => StructSchema;

function structs(version: string): (goName: string, fields: readonly FieldSchema[]) => StructSchema {
  return (goName, fields) => ({
    kind: 'struct',
    key: `apiserver.config.k8s.io/${version}.${goName}`,
    goName,
    fields,
    fieldsByName: new Map(fields.map((each) => [each.name, each])),
    mapType: 'granular',
    preservesUnknownFields: false,
    inlined: [],
  });
}

const TYPE = [field('kind', STRING), field('apiVersion', STRING)];

export const authenticationShape: Shapes = (version) => {
  const struct = structs(version);
  const issuer = struct('Issuer', [
    field('url', STRING),
    field('discoveryURL', STRING, true),
    field('certificateAuthority', STRING),
    field('audiences', listOf(STRING)),
    field('audienceMatchPolicy', STRING),
  ]);
  const claimRule = struct('ClaimValidationRule', [
    field('claim', STRING),
    field('requiredValue', STRING),
    field('expression', STRING),
    field('message', STRING),
  ]);
  const prefixed = struct('PrefixedClaimOrExpression', [
    field('claim', STRING),
    field('prefix', STRING, true),
    field('expression', STRING),
  ]);
  const plain = struct('ClaimOrExpression', [field('claim', STRING), field('expression', STRING)]);
  const extra = struct('ExtraMapping', [field('key', STRING), field('valueExpression', STRING)]);
  const mappings = struct('ClaimMappings', [
    field('username', prefixed),
    field('groups', prefixed),
    field('uid', plain),
    field('extra', listOf(extra)),
  ]);
  const userRule = struct('UserValidationRule', [field('expression', STRING), field('message', STRING)]);
  const jwt = struct('JWTAuthenticator', [
    field('issuer', issuer),
    field('claimValidationRules', listOf(claimRule)),
    field('claimMappings', mappings),
    field('userValidationRules', listOf(userRule)),
  ]);
  const anonymous = struct('AnonymousAuthConfig', [
    field('enabled', BOOLEAN),
    field('conditions', listOf(struct('AnonymousAuthCondition', [field('path', STRING)]))),
  ]);
  return struct('AuthenticationConfiguration', [
    ...TYPE,
    field('jwt', listOf(jwt)),
    field('anonymous', anonymous, true),
  ]);
};

export const authorizationShape: Shapes = (version) => {
  const struct = structs(version);
  const connection = struct('WebhookConnectionInfo', [
    field('type', STRING),
    field('kubeConfigFile', STRING, true),
  ]);
  const webhook = struct('WebhookConfiguration', [
    field('authorizedTTL', DURATION),
    field('unauthorizedTTL', DURATION),
    field('timeout', DURATION),
    field('subjectAccessReviewVersion', STRING),
    field('matchConditionSubjectAccessReviewVersion', STRING),
    field('failurePolicy', STRING),
    field('connectionInfo', connection),
    field('matchConditions', listOf(struct('WebhookMatchCondition', [field('expression', STRING)]))),
  ]);
  const authorizer = struct('AuthorizerConfiguration', [
    field('type', STRING),
    field('name', STRING),
    field('webhook', webhook, true),
  ]);
  return struct('AuthorizationConfiguration', [...TYPE, field('authorizers', listOf(authorizer))]);
};
