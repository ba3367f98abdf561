/** What the client may do: `authorizer.group("").resource("pods").check("create").allowed()`. */
import { dns1123Label, nameIsDnsSubdomain } from '../../validation/names.ts';
import { type Library, method } from '../types/declarations.ts';
import { BOOL, STRING, struct } from '../types/type.ts';
import { CelError, type CelValue, NO_OVERLOAD, type OpaqueValue, type Result } from '../values/value.ts';

export const AUTHORIZER = struct('kubernetes.authorization.Authorizer');
const PATH_CHECK = struct('kubernetes.authorization.PathCheck');
const GROUP_CHECK = struct('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK = struct('kubernetes.authorization.ResourceCheck');
const DECISION = struct('kubernetes.authorization.Decision');

export interface ResourceQuestion {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Answer {
  readonly isAllowed: boolean;
  readonly reason: string;
  /** Why it could not be found out. */
  readonly error?: string;
}

/** Decides for one user. */
export interface Authorizer {
  mayUse(verb: string, resource: ResourceQuestion): Answer;
  mayCall(verb: string, path: string): Answer;
  /** The same questions, asked for a service account. */
  as(namespace: string, serviceAccount: string): Authorizer;
}

class AuthorizerValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = AUTHORIZER;
  readonly authorizer: Authorizer;
  constructor(authorizer: Authorizer) {
    this.authorizer = authorizer;
  }
  equals(): Result {
    return NO_OVERLOAD;
  }
}

class PathValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = PATH_CHECK;
  readonly authorizer: Authorizer;
  readonly path: string;
  constructor(authorizer: Authorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
  equals(): Result {
    return NO_OVERLOAD;
  }
}

class GroupValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = GROUP_CHECK;
  readonly authorizer: Authorizer;
  readonly group: string;
  constructor(authorizer: Authorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
  equals(): Result {
    return NO_OVERLOAD;
  }
}

class ResourceValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = RESOURCE_CHECK;
  readonly authorizer: Authorizer;
  readonly question: ResourceQuestion;
  constructor(authorizer: Authorizer, question: ResourceQuestion) {
    this.authorizer = authorizer;
    this.question = question;
  }
  equals(): Result {
    return NO_OVERLOAD;
  }
}

class DecisionValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = DECISION;
  readonly answer: Answer;
  constructor(answer: Answer) {
    this.answer = answer;
  }
  equals(): Result {
    return NO_OVERLOAD;
  }
}

export const authorizerValue = (authorizer: Authorizer): CelValue => new AuthorizerValue(authorizer);

export const resourceCheckValue = (authorizer: Authorizer, question: ResourceQuestion): CelValue =>
  new ResourceValue(authorizer, question);

function path(value: CelValue = null, text: CelValue = null): Result {
  if (!(value instanceof AuthorizerValue) || typeof text !== 'string') return NO_OVERLOAD;
  return text.trim() === '' ? new CelError('path must not be empty') : new PathValue(value.authorizer, text);
}

function serviceAccount(value: CelValue = null, namespace: CelValue = null, name: CelValue = null): Result {
  if (!(value instanceof AuthorizerValue) || typeof namespace !== 'string' || typeof name !== 'string')
    return NO_OVERLOAD;
  if (nameIsDnsSubdomain(name).length > 0) return new CelError('Invalid service account name');
  if (dns1123Label(namespace).length > 0) return new CelError('Invalid service account namespace');
  return new AuthorizerValue(value.authorizer.as(namespace, name));
}

function resource(value: CelValue = null, name: CelValue = null): Result {
  if (!(value instanceof GroupValue) || typeof name !== 'string') return NO_OVERLOAD;
  if (name.trim() === '') return new CelError('resource must not be empty');
  const question = { group: value.group, resource: name, subresource: '', namespace: '', name: '' };
  return new ResourceValue(value.authorizer, question);
}

const narrowed =
  (member: 'subresource' | 'namespace' | 'name') =>
  (value: CelValue = null, text: CelValue = null): Result =>
    value instanceof ResourceValue && typeof text === 'string'
      ? new ResourceValue(value.authorizer, { ...value.question, [member]: text })
      : NO_OVERLOAD;

function check(value: CelValue = null, verb: CelValue = null): Result {
  if (typeof verb !== 'string') return NO_OVERLOAD;
  if (value instanceof PathValue) return new DecisionValue(value.authorizer.mayCall(verb, value.path));
  if (value instanceof ResourceValue) return new DecisionValue(value.authorizer.mayUse(verb, value.question));
  return NO_OVERLOAD;
}

const ofDecision =
  (read: (answer: Answer) => Result) =>
  (value: CelValue = null): Result =>
    value instanceof DecisionValue ? read(value.answer) : NO_OVERLOAD;

export const AUTHORIZATION: Library = {
  functions: [
    { name: 'path', overloads: [method('authorizer_path', [AUTHORIZER, STRING], PATH_CHECK, path)] },
    {
      name: 'group',
      overloads: [
        method('authorizer_group', [AUTHORIZER, STRING], GROUP_CHECK, (value, group) =>
          value instanceof AuthorizerValue && typeof group === 'string'
            ? new GroupValue(value.authorizer, group)
            : NO_OVERLOAD,
        ),
      ],
    },
    {
      name: 'serviceAccount',
      overloads: [
        method('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount),
      ],
    },
    {
      name: 'resource',
      overloads: [method('groupcheck_resource', [GROUP_CHECK, STRING], RESOURCE_CHECK, resource)],
    },
    ...(['subresource', 'namespace', 'name'] as const).map((member) => ({
      name: member,
      overloads: [
        method(`resourcecheck_${member}`, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, narrowed(member)),
      ],
    })),
    {
      name: 'check',
      overloads: [
        method('pathcheck_check', [PATH_CHECK, STRING], DECISION, check),
        method('resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, check),
      ],
    },
    {
      name: 'errored',
      overloads: [
        method(
          'decision_errored',
          [DECISION],
          BOOL,
          ofDecision(({ error }) => error !== undefined),
        ),
      ],
    },
    {
      name: 'error',
      overloads: [
        method(
          'decision_error',
          [DECISION],
          STRING,
          ofDecision(({ error = '' }) => error),
        ),
      ],
    },
    {
      name: 'allowed',
      overloads: [
        method(
          'decision_allowed',
          [DECISION],
          BOOL,
          ofDecision(({ isAllowed }) => isAllowed),
        ),
      ],
    },
    {
      name: 'reason',
      overloads: [
        method(
          'decision_reason',
          [DECISION],
          STRING,
          ofDecision(({ reason }) => reason),
        ),
      ],
    },
  ],
};
