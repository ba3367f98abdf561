/**
 * Who may use an agent's endpoint: the agent asks the API server whose a token is (TokenReview) and what its owner may
 * do to the node (SubjectAccessReview), and remembers the answers for a while, so that it works on for a while when it
 * is cut off. Whom it remembers, and for how long, is as the kubelet has it.
 * Specification: "Authentication" 7 (how: not shown, Kubernetes 1.31).
 */
import type { TokenReview } from '../../api/types/authentication-k8s-io-v1.ts';
import type { SubjectAccessReview } from '../../api/types/authorization-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, seconds, type Micros } from '../../engine/time.ts';
import type { AgentAnswer, AgentCall } from './agent-port.ts';

/** As the kubelet's configuration has it. */
export interface AgentAccessSettings {
  /** `Webhook` (default): the API server decides. `AlwaysAllow`: whoever is known may do everything. */
  readonly authorizationMode?: 'AlwaysAllow' | 'Webhook';
  /** Who brings no credentials is `system:anonymous` instead of nobody; default false. */
  readonly allowsAnonymous?: boolean;
}

interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Attributes {
  readonly verb: string;
  readonly subresource: string;
}

/** How long answers of the API server count. */
export const ACCESS_CACHE = {
  token: minutes(2),
  allowed: minutes(5),
  refused: seconds(30),
} as const;

const TOKEN_REVIEWS: ResourceHandle<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'tokenreviews',
  kind: 'TokenReview',
  isNamespaced: false,
};
const ACCESS_REVIEWS: ResourceHandle<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  isNamespaced: false,
};
const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const AUTHENTICATED = 'system:authenticated';
const UNAUTHORIZED: AgentAnswer = { status: 401, body: 'Unauthorized' };

export class AgentAccess {
  readonly #client: ApiClient;
  readonly #nodeName: string;
  readonly #settings: Required<AgentAccessSettings>;
  readonly #users: Remembered<User | undefined>;
  readonly #decisions: Remembered<boolean>;

  constructor(client: ApiClient, nodeName: string, settings: AgentAccessSettings = {}) {
    this.#client = client;
    this.#nodeName = nodeName;
    const { authorizationMode = 'Webhook', allowsAnonymous = false } = settings;
    this.#settings = { authorizationMode, allowsAnonymous };
    const now = (): Micros => client.context.now();
    this.#users = new Remembered(now);
    this.#decisions = new Remembered(now);
  }

  get settings(): Required<AgentAccessSettings> {
    return this.#settings;
  }

  /** Why the call is refused; undefined: it is not. */
  *refusalOf(call: AgentCall): Process<AgentAnswer | undefined> {
    const user = yield* this.#userOf(call);
    if (!user) return UNAUTHORIZED;
    if (this.#settings.authorizationMode === 'AlwaysAllow') return undefined;
    const attributes = { verb: verbOf(call.method), subresource: subresourceOf(call.path) };
    const facts = `(user=${user.name}, verb=${attributes.verb}, resource=nodes, subresource=${attributes.subresource})`;
    try {
      const isAllowed = yield* this.#isAllowed(user, attributes);
      return isAllowed ? undefined : { status: 403, body: `Forbidden ${facts}` };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return { status: 500, body: `Authorization error ${facts}` };
    }
  }

  *#userOf({ user, token }: AgentCall): Process<User | undefined> {
    const found = user ?? (token === undefined ? undefined : yield* this.#ownerOf(token));
    if (found) return withGroup(found, AUTHENTICATED);
    return token === undefined && this.#settings.allowsAnonymous ? ANONYMOUS : undefined;
  }

  /** That nobody knows a token is not remembered, that it is nobody's is. */
  *#ownerOf(token: string): Process<User | undefined> {
    const known = this.#users.find(token);
    if (known) return known.value;
    try {
      const { status } = yield* this.#client.create(TOKEN_REVIEWS, { metadata: {}, spec: { token } });
      const {
        authenticated = false,
        user: { username = '', uid, groups = [], extra } = {},
        error,
      } = status ?? {};
      const owner = authenticated
        ? { name: username, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) }
        : undefined;
      if (owner || !error) this.#users.keep(token, owner, ACCESS_CACHE.token);
      return owner;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return undefined;
    }
  }

  *#isAllowed(user: User, attributes: Attributes): Process<boolean> {
    const key = JSON.stringify([user.name, user.uid, user.groups, user.extra, attributes]);
    const known = this.#decisions.find(key);
    if (known) return known.value;
    const { name, uid, groups, extra } = user;
    const { status } = yield* this.#client.create(ACCESS_REVIEWS, {
      metadata: {},
      spec: {
        user: name,
        groups,
        ...(uid !== undefined && { uid }),
        ...(extra && { extra }),
        resourceAttributes: { ...attributes, version: 'v1', resource: 'nodes', name: this.#nodeName },
      },
    });
    const isAllowed = status?.allowed ?? false;
    this.#decisions.keep(key, isAllowed, isAllowed ? ACCESS_CACHE.allowed : ACCESS_CACHE.refused);
    return isAllowed;
  }
}

const withGroup = (user: User, group: string): User =>
  user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
export const verbOf = (method: string): string => VERBS[method] ?? '';

const SUBRESOURCES: readonly (readonly [prefix: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
];

/** Whatever has no subresource of its own is `proxy`, the right to everything. */
export function subresourceOf(path: string): string {
  const found = SUBRESOURCES.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  return found?.[1] ?? 'proxy';
}

/** Answers that count for a while. */
class Remembered<T> {
  readonly #now: () => Micros;
  readonly #values = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(now: () => Micros) {
    this.#now = now;
  }

  find(key: string): { readonly value: T } | undefined {
    const known = this.#values.get(key);
    if (known && known.until > this.#now()) return known;
    this.#values.delete(key);
    return undefined;
  }

  keep(key: string, value: T, span: Micros): void {
    for (const [other, { until }] of this.#values) if (until <= this.#now()) this.#values.delete(other);
    this.#values.set(key, { value, until: this.#now() + span });
  }
}
