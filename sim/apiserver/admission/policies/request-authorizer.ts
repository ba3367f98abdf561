/** The `authorizer` of expressions: asks what the client of the request, or a service account, may do. */
import type { Answer, Authorizer, ResourceQuestion } from '../../../api/cel/library/authorizer.ts';
import type { AccessAttributes, Authorizer as ServerAuthorizer } from '../../authorization/authorizer.ts';
import type { UserInfo } from '../../request/request.ts';

export function requestAuthorizer(authorizer: ServerAuthorizer, user: UserInfo): Authorizer {
  const ask = (attributes: Omit<AccessAttributes, 'user'>): Answer => {
    const { problem, ...decision } = authorizer.authorize({ user, ...attributes });
    return { ...decision, ...(problem !== undefined && { error: problem }) };
  };
  return {
    mayUse: (verb, question) => ask(resourceAttributes(verb, question)),
    mayCall: (verb, path) => ask({ ...NO_RESOURCE, verb, path }),
    as: (namespace, name) => requestAuthorizer(authorizer, serviceAccount(namespace, name)),
  };
}

const NO_RESOURCE = {
  isResourceRequest: false,
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
} as const;

const resourceAttributes = (verb: string, question: ResourceQuestion): Omit<AccessAttributes, 'user'> => ({
  ...question,
  verb,
  isResourceRequest: true,
  path: '',
  version: '*',
});

const serviceAccount = (namespace: string, name: string): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
});
