/** A question of access as it is put to a webhook, and as the conditions of the webhook see it. Pure. */
import { ValueList, ValueMap } from '../../api/cel/values/containers.ts';
import type { CelValue } from '../../api/cel/values/value.ts';
import type { AccessAttributes } from './authorizer.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

const RESOURCE_MEMBERS = [
  'namespace',
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
  'name',
] as const;

/** Without members that are empty. */
export function reviewSpec(
  attributes: AccessAttributes,
  version: ReviewVersion,
): Readonly<Record<string, unknown>> {
  const { user, isResourceRequest, path, verb } = attributes;
  const resource = RESOURCE_MEMBERS.flatMap((name) =>
    attributes[name] === '' ? [] : [[name, attributes[name]] as const],
  );
  return {
    ...(isResourceRequest
      ? { resourceAttributes: Object.fromEntries(resource) }
      : { nonResourceAttributes: { ...(path !== '' && { path }), ...(verb !== '' && { verb }) } }),
    ...(user.name !== '' && { user: user.name }),
    ...(user.groups.length > 0 && { [version === 'v1' ? 'groups' : 'group']: user.groups }),
    ...(user.extra && { extra: user.extra }),
    ...(user.uid !== undefined && user.uid !== '' && { uid: user.uid }),
  };
}

export const reviewBody = (attributes: AccessAttributes, version: ReviewVersion): object => ({
  kind: 'SubjectAccessReview',
  apiVersion: `authorization.k8s.io/${version}`,
  metadata: { creationTimestamp: null },
  spec: reviewSpec(attributes, version),
  status: { allowed: false },
});

const texts = (list: readonly string[]): CelValue => new ValueList(list);

/** All texts are there, also those that are empty. */
export function reviewValue(attributes: AccessAttributes): CelValue {
  const { user, isResourceRequest, path, verb } = attributes;
  const asked = isResourceRequest
    ? (['resourceAttributes', textMap(RESOURCE_MEMBERS.map((name) => [name, attributes[name]]))] as const)
    : ([
        'nonResourceAttributes',
        textMap([
          ['path', path],
          ['verb', verb],
        ]),
      ] as const);
  const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [key, texts(values)] as const);
  return new ValueMap([
    ['user', user.name],
    ['groups', texts(user.groups)],
    ['uid', user.uid ?? ''],
    ['extra', new ValueMap(extra)],
    asked,
  ]);
}

const textMap = (entries: readonly (readonly [string, string])[]): CelValue => new ValueMap(entries);

const MOST_CONTROLLED = 10_000;

/** What the client chose is short enough to be kept. */
export function isKept(attributes: AccessAttributes): boolean {
  const sizes = [...RESOURCE_MEMBERS.map((name) => attributes[name].length), attributes.path.length];
  return sizes.reduce((sum, size) => sum + size, 0) < MOST_CONTROLLED;
}
