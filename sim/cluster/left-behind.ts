/**
 * What the controllers of a cluster have left behind in its storage, so that a new cluster need not wait until they have
 * done it anew: accounts, certificates and sums of roles of an earlier life. With the same objects for all clusters.
 */
import type { ClusterRole } from '../api/types/rbac-authorization-k8s-io-v1.ts';
import { FIRST_NAMESPACES, type LeftBehind } from '../apiserver/bootstrap/bootstrap.ts';
import { rbacDefaults } from '../apiserver/bootstrap/rbac-defaults.ts';
import type { Controller, Leavings } from '../controllers/manager/controller.ts';
import type { ManagerCredentials } from '../controllers/manager/credentials.ts';

/** Made once for the same controllers and the same certificate. */
let known: { readonly of: string; readonly leftBehind: LeftBehind } | undefined;

export function leftBehindBy(
  controllers: readonly Controller[],
  credentials: ManagerCredentials,
): LeftBehind {
  const leaving = controllers.filter(({ leaves }) => leaves);
  const of = [...leaving.map(({ name }) => name), credentials.rootCertificate].join();
  if (known?.of !== of) known = { of, leftBehind: madeBy(leaving, credentials) };
  return known.leftBehind;
}

function madeBy(controllers: readonly Controller[], credentials: ManagerCredentials): LeftBehind {
  const first = {
    namespaces: FIRST_NAMESPACES,
    clusterRoles: rbacDefaults().clusterroles as readonly ClusterRole[],
    credentials,
  };
  return Object.fromEntries(
    controllers.flatMap(({ leaves }) => {
      const leavings = leaves?.(first);
      return leavings ? [[textOf(leavings), leavings.objects] as const] : [];
    }),
  );
}

const textOf = ({ handle: { resource, group } }: Leavings): string =>
  group === '' ? resource : `${resource}.${group}`;

export const NOTHING_LEFT: LeftBehind = {};

/** The same value for the same two, as plans are made once for each. */
export function together(one: LeftBehind, other: LeftBehind): LeftBehind {
  if (Object.keys(other).length === 0) return one;
  if (sum?.one === one && sum.other === other) return sum.both;
  const resources = new Set([...Object.keys(one), ...Object.keys(other)]);
  const both = Object.fromEntries(
    [...resources].map((resource) => [resource, [...(one[resource] ?? []), ...(other[resource] ?? [])]]),
  );
  sum = { one, other, both };
  return both;
}

let sum: { readonly one: LeftBehind; readonly other: LeftBehind; readonly both: LeftBehind } | undefined;
