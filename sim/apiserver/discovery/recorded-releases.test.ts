/** What real servers of other releases, without any flag, said in their discovery documents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { WireUser } from '../../cluster/wire-user.ts';

interface Recorded {
  /** `name versions preferred`. */
  readonly groups: readonly string[];
  /** `version name kind scope verbs shortNames categories hash`, and the version of the body where it is another one. */
  readonly resources: readonly string[];
}

const RECORDED = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../api/release/recorded-discovery.json'), 'utf8'),
) as Readonly<Record<string, Recorded>>;

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly groupVersion: string }[];
  readonly preferredVersion: { readonly version: string };
}

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly group?: string;
  readonly version?: string;
}

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

const line = (groupVersion: string, row: Row): string =>
  [
    groupVersion,
    row.name,
    row.kind,
    row.namespaced ? 'n' : 'c',
    row.verbs.join(','),
    row.shortNames?.join(',') ?? '-',
    row.categories?.join(',') ?? '-',
    row.storageVersionHash ?? '-',
    ...(row.version === undefined ? [] : [`${row.group ?? ''}/${row.version}`]),
  ].join(' ');

describe.each(Object.entries(RECORDED))('release %s', (name, { groups, resources }) => {
  const cluster = createCluster({ release: findRelease(name) ?? RELEASE_1_31, controllers: [] });
  const wire = new WireUser(cluster);
  const ask = (path: string): unknown =>
    JSON.parse(
      String(wire.request({ method: 'GET', path, user, headers: { accept: 'application/json' } })?.body),
    );
  const { groups: served } = ask('/apis') as { groups: readonly Group[] };

  it('serves the groups and versions of a real server, in its order', () => {
    expect(
      served.map(
        (group) =>
          `${group.name} ${group.versions.map(({ version }) => version).join(',')} ${group.preferredVersion.version}`,
      ),
    ).toEqual(groups);
  });

  it('serves the resources of a real server, stored in the same versions', () => {
    const versions = [
      'v1',
      ...served.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion)),
    ];
    const lines = versions.flatMap((groupVersion) => {
      const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
      const { resources: rows } = ask(path) as { resources: readonly Row[] };
      return rows.map((row) => line(groupVersion, row));
    });
    expect(lines).toEqual(resources);
  });
});

describe('aggregated discovery', () => {
  const statusOf = (name: string, version: string, path = '/apis'): number | undefined => {
    const cluster = createCluster({ release: findRelease(name) ?? RELEASE_1_31, controllers: [] });
    const accept = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    return new WireUser(cluster).request({ method: 'GET', path, user, headers: { accept } })?.status;
  };

  it('is spoken in the versions of the release', () => {
    expect(['1.26', '1.29', '1.30', '1.33'].map((name) => statusOf(name, 'v2'))).toEqual([
      406, 406, 200, 200,
    ]);
    expect(['1.26', '1.27', '1.32', '1.33'].map((name) => statusOf(name, 'v2beta1'))).toEqual([
      406, 200, 200, 406,
    ]);
  });

  it('names the versions of answers that are of another version than the resource alone', () => {
    const cluster = createCluster({ release: RELEASE_1_31, controllers: [] });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const reply = new WireUser(cluster).request({ method: 'GET', path: '/apis', user, headers: { accept } });
    const { items } = JSON.parse(String(reply?.body)) as {
      readonly items: readonly { readonly metadata: { readonly name: string }; readonly versions: unknown }[];
    };
    expect(items.find(({ metadata }) => metadata.name === 'apps')?.versions).toMatchObject([
      {
        resources: [
          {},
          { resource: 'daemonsets', responseKind: { group: '', version: '', kind: 'DaemonSet' } },
          {
            resource: 'deployments',
            subresources: [
              {
                subresource: 'scale',
                responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
              },
              { responseKind: { group: '', version: '', kind: 'Deployment' } },
            ],
          },
          {},
          {},
        ],
      },
    ]);
  });
});
