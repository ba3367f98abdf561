import { describe, expect, it } from 'vitest';
import { Catalog, type CatalogTables } from '../api/catalog/catalog.ts';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { Release } from '../api/release/release.ts';
import { seconds } from '../engine/time.ts';
import { ApiServerActor } from './api-server-actor.ts';
import { createCluster } from './create-cluster.ts';
import { WireUser } from './wire-user.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const NEWER = 'apiserver/0';
const OLDER = 'apiserver/older';
const FLOWS = 'flowcontrol.apiserver.k8s.io';

/** The tables without one version of the resources of a group. */
function without(tables: CatalogTables, group: string, version: string): CatalogTables {
  return {
    ...tables,
    resources: () => {
      const { resources, groups } = tables.resources();
      return { resources: resources.filter(({ g, v }) => g !== group || v !== version), groups };
    },
  };
}

/** As 1.31, but from before the deprecation of 1.29, without one version, and with one gate further. */
const RELEASE_1_28: Release = {
  ...RELEASE_1_31,
  versionInfo: { ...RELEASE_1_31.versionInfo, minor: '28', gitVersion: 'v1.28.3+kubesim' },
  componentVersion: 'v1.28.3',
  catalog: new Catalog(without(RELEASE_1_31.catalog.tables, FLOWS, 'v1')),
  gates: new Map([...RELEASE_1_31.gates, ['WatchList', { stage: 'beta', isOnByDefault: true }]]),
};

/** A cluster of 1.31 with a node whose agent is older, and an older API server over the same storage. */
function twoReleases() {
  const cluster = createCluster({ nodes: ['worker-1'], agents: { release: RELEASE_1_28 } });
  const { simulation, storage } = cluster;
  const older = new ApiServerActor(simulation, OLDER, { storage, release: RELEASE_1_28 });
  cluster.advance(seconds(5));
  expect(older.server?.release).toBe(RELEASE_1_28);
  const wire = new WireUser(cluster);
  const get = (server: string, path: string, query: Readonly<Record<string, string>> = {}) => {
    const answer = wire.request({ method: 'GET', path, query, user, server });
    const { body } = answer ?? {};
    return { ...answer, body: (typeof body === 'string' ? JSON.parse(body) : body) as Members };
  };
  return { cluster, wire, get };
}

type Members = { readonly [member: string]: Members } & readonly Members[];

describe('API servers of two releases over one storage', () => {
  const { cluster, wire, get } = twoReleases();

  it('tell their own versions', () => {
    expect(get(NEWER, '/version').body).toMatchObject({ minor: '31', gitVersion: 'v1.31.14+kubesim' });
    expect(get(OLDER, '/version').body).toMatchObject({ minor: '28', gitVersion: 'v1.28.3+kubesim' });
    const info = (server: string) => get(server, '/openapi/v3/version').body['info'];
    expect(info(OLDER)).toMatchObject({ version: 'v1.28.3+kubesim' });
  });

  it('serve their own versions, in discovery, in OpenAPI and in fact', () => {
    const statusOf = (server: string, version: string) => get(server, `/apis/${FLOWS}/${version}`).status;
    expect(['v1', 'v1beta3'].map((version) => statusOf(NEWER, version))).toEqual([200, 200]);
    expect(['v1', 'v1beta3'].map((version) => statusOf(OLDER, version))).toEqual([404, 200]);
    const documents = (server: string) => Object.keys(get(server, '/openapi/v3').body['paths'] ?? {});
    expect(documents(NEWER)).toContain(`apis/${FLOWS}/v1`);
    expect(documents(OLDER)).not.toContain(`apis/${FLOWS}/v1`);
    expect(get(OLDER, `/apis/${FLOWS}/v1/flowschemas`).status).toBe(404);
  });

  it('list the groups that the last one to start has registered, as real servers of two releases do', () => {
    const versionsOf = (server: string) =>
      [...(get(server, `/apis/${FLOWS}`).body['versions'] ?? [])].map(({ version }) => version);
    expect(versionsOf(NEWER)).toEqual(['v1beta3']);
    expect(versionsOf(OLDER)).toEqual(['v1beta3']);
  });

  it('show the same stored objects, and warn of what their own release deprecates', () => {
    const path = `/apis/${FLOWS}/v1beta3/flowschemas/exempt`;
    const [newer, older] = [get(NEWER, path), get(OLDER, path)];
    expect(newer.body['metadata']).toEqual(older.body['metadata']);
    expect(newer.warnings).toEqual([
      'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema',
    ]);
    expect(older.warnings).toEqual([]);
  });

  it('have their own gates', () => {
    const watch = (server: string) =>
      wire.watch({
        method: 'GET',
        path: '/api/v1/configmaps',
        query: {
          watch: '1',
          sendInitialEvents: 'true',
          resourceVersionMatch: 'NotOlderThan',
          allowWatchBookmarks: 'true',
        },
        user,
        server,
      });
    expect(watch(NEWER).answer?.status).toBe(422);
    expect(watch(OLDER).log).toBeDefined();
  });

  it('have agents of either: each tells its own version', () => {
    const { status } = cluster.client.nodes.get('worker-1');
    expect(status?.nodeInfo).toMatchObject({ kubeletVersion: 'v1.28.3', kubeProxyVersion: 'v1.28.3' });
  });
});

it('a cluster is of its release, agents included', () => {
  const cluster = createCluster({ nodes: ['worker-1'], release: RELEASE_1_28 });
  cluster.advance(seconds(5));
  const { status } = cluster.client.nodes.get('worker-1');
  expect(status?.nodeInfo?.kubeletVersion).toBe('v1.28.3');
  expect(cluster.apiServers[0]?.server?.registry.find(FLOWS, 'v1', 'flowschemas')).toBeUndefined();
});
