/**
 * `/metrics` and `/metrics/slis`: what the server has counted and what it is at present, in the
 * Prometheus text format with Kubernetes' names and help texts. Specification: "Metrics".
 */
import type { GateStage } from '../../api/release/feature-gate.ts';
import type { VersionInfo } from '../../api/release/release.ts';
import { byKey } from '../../api/go-text.ts';
import type { APIService } from '../../api/types/apiregistration-k8s-io-v1.ts';
import { API_SERVICES } from '../aggregation/foreign-services.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { ConditionView, Meters, ServerView, StoreView } from '../request/server-view.ts';
import { ALL_CHECKS } from '../surface/health.ts';
import { methodNotAllowed } from '../stages/route.ts';
import type { SurfacePath } from '../surface/surface.ts';
import { EXPOSITION_CONTENT_TYPE, expositionOf, type MetricFamily } from '../../api/exposition.ts';
import { livingFamilies } from './metric-life.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface MetricsPageOptions {
  readonly requests: RequestMetrics;
  readonly meters?: Meters | undefined;
  readonly auditor?: Auditor | undefined;
  /** Whether those are shown that the release has just hidden. */
  readonly showsHidden?: boolean | undefined;
  /** Facts that only the assembly knows, such as those of the process. */
  readonly more?: (() => readonly MetricFamily[]) | undefined;
}

export function metricsPaths({
  requests,
  meters,
  auditor,
  showsHidden = false,
  more,
}: MetricsPageOptions): readonly SurfacePath[] {
  const families = (server: ServerView): readonly MetricFamily[] => [
    ...requests.families(),
    ...(meters
      ? [
          ...meters.admission.families(),
          ...meters.cel.families(),
          ...meters.conversion.families(),
          ...meters.aggregator.families(apiServices(server)),
          ...meters.authentication.families(),
          ...meters.authorization.families(),
          ...meters.reloads.families(),
        ]
      : []),
    ...(auditor ? auditFamilies(auditor) : []),
    deprecatedApis(server),
    ...storageFamilies(server),
    buildInfo(server.release.versionInfo),
    featuresEnabled(server),
    ...healthFamilies(server),
    ...(more?.() ?? []),
  ];
  const living = (server: ServerView): readonly MetricFamily[] =>
    livingFamilies(families(server), server.release, showsHidden);
  return [
    { path: '/metrics', serve: (exchange) => serveText(exchange, living(exchange.server)) },
    { path: '/metrics/slis', serve: (exchange) => serveText(exchange, healthFamilies(exchange.server)) },
  ];
}

function serveText(exchange: Parameters<SurfacePath['serve']>[0], families: readonly MetricFamily[]): void {
  // Whatever else is done to it, it tells; that it is set back is not modelled.
  if (exchange.request.method === 'DELETE') throw methodNotAllowed();
  exchange.respondText(200, expositionOf(families), EXPOSITION_CONTENT_TYPE);
}

function apiServices(server: StoreView): readonly APIService[] {
  const resource = server.registry.findByText(API_SERVICES);
  if (!resource) return [];
  const store = server.storeOf(resource);
  return store.cache.list({ prefix: store.range('') }).entries.map(({ value }) => value as APIService);
}

function deprecatedApis({ deprecatedUse }: ConditionView): MetricFamily {
  return {
    name: 'apiserver_requested_deprecated_apis',
    help: '[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    type: 'gauge',
    samples: deprecatedUse.all().map(({ group, removedRelease, resource, subresource, version }) => ({
      labels: { group, removed_release: removedRelease, resource, subresource, version },
      value: 1,
    })),
  };
}

const STAGES: Readonly<Record<GateStage, string>> = {
  alpha: 'ALPHA',
  beta: 'BETA',
  stable: '',
  deprecated: 'DEPRECATED',
};

const featuresEnabled = ({ release, featureGates }: ServerView): MetricFamily => ({
  name: 'kubernetes_feature_enabled',
  help: '[BETA] This metric records the data about the stage and enablement of a k8s feature.',
  type: 'gauge',
  samples: [...release.gates].sort(byKey).map(([name, { stage }]) => ({
    labels: { name, stage: STAGES[stage] },
    value: featureGates.isEnabled(name) ? 1 : 0,
  })),
});

/** Each storage prefix once, under the name that its resource has in the storage. */
function storageFamilies(server: StoreView): readonly MetricFamily[] {
  const stores = new Map<
    string,
    {
      readonly resource: string;
      readonly group: string;
      readonly plural: string;
      readonly count: number;
      readonly revision: number;
    }
  >();
  for (const resource of server.registry.all()) {
    if (stores.has(resource.storagePrefix)) continue;
    const { cache } = server.storeOf(resource);
    const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
    const { group, resource: plural } = resource;
    stores.set(resource.storagePrefix, {
      resource: name,
      group,
      plural,
      count: cache.size,
      revision: cache.revision,
    });
  }
  const sorted = [...stores.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return [
    {
      name: 'apiserver_storage_objects',
      help: '[STABLE] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
      type: 'gauge',
      samples: sorted.map(({ resource, count }) => ({ labels: { resource }, value: count })),
    },
    {
      name: 'apiserver_resource_objects',
      help: '[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
      type: 'gauge',
      samples: [...stores.values()]
        .sort((a, b) => (a.resource < b.resource ? -1 : 1))
        .map(({ group, plural, count }) => ({ labels: { group, resource: plural }, value: count })),
    },
    {
      name: 'apiserver_watch_cache_resource_version',
      help: '[ALPHA] Current resource version of watch cache broken by resource type.',
      type: 'gauge',
      samples: sorted.map(({ resource, revision }) => ({ labels: { resource }, value: revision })),
    },
  ];
}

function auditFamilies({ eventCount, requestsByLevel }: Auditor): readonly MetricFamily[] {
  return [
    {
      name: 'apiserver_audit_event_total',
      help: '[ALPHA] Counter of audit events generated and sent to the audit backend.',
      type: 'counter',
      samples: [{ labels: {}, value: eventCount }],
    },
    {
      name: 'apiserver_audit_level_total',
      help: '[ALPHA] Counter of policy levels for audit events (1 per request).',
      type: 'counter',
      samples: [...requestsByLevel].sort(byKey).map(([level, value]) => ({ labels: { level }, value })),
    },
  ];
}

function buildInfo({
  buildDate,
  compiler,
  gitCommit,
  gitTreeState,
  gitVersion,
  goVersion,
  major,
  minor,
  platform,
}: VersionInfo): MetricFamily {
  return {
    name: 'kubernetes_build_info',
    help: "[ALPHA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    type: 'gauge',
    samples: [
      {
        labels: {
          build_date: buildDate,
          compiler,
          git_commit: gitCommit,
          git_tree_state: gitTreeState,
          git_version: gitVersion,
          go_version: goVersion,
          major,
          minor,
          platform,
        },
        value: 1,
      },
    ],
  };
}

function healthFamilies({ failingChecks }: ConditionView): readonly MetricFamily[] {
  return [
    {
      name: 'kubernetes_healthcheck',
      help: '[STABLE] This metric records the result of a single healthcheck.',
      type: 'gauge',
      samples: ALL_CHECKS.map(({ endpoint, name }) => ({
        labels: { name, type: endpoint },
        value: failingChecks.has(name) ? 0 : 1,
      })),
    },
  ];
}
