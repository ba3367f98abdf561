/**
 * Acting as somebody else: the `Impersonate-*` headers, each allowed by the verb `impersonate`.
 * Specification: "Authentication" (not shown: Kubernetes' own headers).
 */
import type { Process } from '../../engine/process.ts';
import { accessDenied } from './authorize.ts';
import type { AccessAttributes } from '../authorization/authorizer.ts';
import { answered } from '../authorization/awaited-answer.ts';
import { internalText } from '../representation/internal-text.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const SERVICE_ACCOUNT =
  /^system:serviceaccount:([a-z0-9]([-a-z0-9]*[a-z0-9])?):([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/;

interface Wish {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

export function impersonate(exchange: Exchange): Process<void> | void {
  const wish = wishOf(exchange);
  if (!wish) return undefined;
  if (wish.user === '') {
    const problem = `requested [${referencesOf(wish).join(' ')}] without impersonating a user`;
    exchange.respondText(500, internalText(exchange.request, problem));
    return undefined;
  }
  return answered(() => become(exchange, wish));
}

function become(exchange: Exchange, wish: Wish): void {
  for (const attributes of questionsOf(wish, exchange.user)) {
    const { isAllowed, reason } = exchange.authorizer.authorize(attributes);
    if (!isAllowed) throw accessDenied(attributes, reason);
  }
  exchange.impersonator = exchange.user;
  exchange.user = impersonatedUser(wish);
}

/** What was asked for, as Go prints references to it: kind, namespace, name, version and field. */
const referencesOf = ({ groups, uid, extra }: Wish): string[] => [
  ...groups.map((group) => `{Group  ${group}    }`),
  ...[...extra].flatMap(([key, values]) =>
    values.map((value) => `{UserExtra  ${value}  authentication.k8s.io/v1  ${key}}`),
  ),
  ...(uid ? [`{UID  ${uid}  authentication.k8s.io/v1  }`] : []),
];

const hasWish = (headers: ApiRequest['headers']): boolean => {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
};

function wishOf({ request: { headers } }: Exchange): Wish | undefined {
  if (!hasWish(headers)) return undefined;
  const user = headers['impersonate-user'] ?? '';
  const groups = (headers['impersonate-group'] ?? '')
    // Headers that repeat are joined by a comma and a blank; a comma alone belongs to the name.
    .split(', ')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  const uid = headers['impersonate-uid'] ?? '';
  const extra = new Map<string, readonly string[]>();
  for (const name of Object.keys(headers).sort()) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const values = (headers[name] ?? '').split(',').map((value) => value.trim());
    extra.set(decodeKey(name.slice(EXTRA_PREFIX.length).toLowerCase()), values);
  }
  if (user === '' && groups.length === 0 && uid === '' && extra.size === 0) return undefined;
  return { user, groups, uid, extra };
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function questionsOf(wish: Wish, asker: UserInfo): AccessAttributes[] {
  const question = (
    more: Pick<AccessAttributes, 'group' | 'resource' | 'name'> & Partial<AccessAttributes>,
  ) => ({
    user: asker,
    verb: 'impersonate',
    isResourceRequest: true,
    path: '',
    version: more.group === '' ? 'v1' : '',
    subresource: '',
    namespace: '',
    ...more,
  });
  const account = SERVICE_ACCOUNT.exec(wish.user);
  return [
    account
      ? question({
          group: '',
          resource: 'serviceaccounts',
          namespace: account[1] ?? '',
          name: account[3] ?? '',
        })
      : question({ group: '', resource: 'users', name: wish.user }),
    ...wish.groups.map((name) => question({ group: '', resource: 'groups', name })),
    ...[...wish.extra].flatMap(([key, values]) =>
      values.map((name) =>
        question({ group: 'authentication.k8s.io', resource: 'userextras', subresource: key, name }),
      ),
    ),
    ...(wish.uid ? [question({ group: 'authentication.k8s.io', resource: 'uids', name: wish.uid })] : []),
  ];
}

function impersonatedUser({ user, groups, uid, extra }: Wish): UserInfo {
  const account = SERVICE_ACCOUNT.exec(user);
  const given =
    groups.length === 0 && account
      ? ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`]
      : [...groups];
  if (user === 'system:anonymous') {
    if (!given.includes('system:unauthenticated')) given.push('system:unauthenticated');
  } else if (!given.includes('system:authenticated') && !given.includes('system:unauthenticated')) {
    given.push('system:authenticated');
  }
  return {
    name: user,
    groups: given,
    ...(uid && { uid }),
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}
