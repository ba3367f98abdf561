/**
 * The paths of an agent's endpoint. What has no path is 404 for everybody; who may use a path is asked before whether
 * it means something. Specification: "Node-agent checkpoint endpoint"; the others are those of Kubernetes 1.31.
 */

interface Service {
  /** Methods and how many path segments follow; absent: a path of its own, with any method. */
  readonly routes?: readonly { readonly methods: readonly string[]; readonly segments: readonly number[] }[];
}

const GET = ['GET'];
const POST = ['POST'];
const STREAM = [{ methods: ['GET', 'POST'], segments: [3, 4] }];

const SERVICES = {
  '/healthz': {},
  '/healthz/ping': {},
  '/healthz/log': {},
  '/healthz/syncloop': {},
  '/metrics': {},
  '/metrics/cadvisor': {},
  '/metrics/resource': {},
  '/metrics/probes': {},
  '/metrics/slis': {},
  '/configz': {},
  '/debug/flags/v': {},
  '/debug/pprof': { routes: [{ methods: GET, segments: [0, 1] }] },
  '/logs': { routes: [{ methods: GET, segments: Array.from({ length: 32 }, (_, count) => count) }] },
  '/pods': { routes: [{ methods: GET, segments: [0] }] },
  '/runningpods': { routes: [{ methods: GET, segments: [0] }] },
  '/stats/summary': { routes: [{ methods: GET, segments: [0] }] },
  '/stats': { routes: [] },
  '/containerLogs': { routes: [{ methods: GET, segments: [3] }] },
  '/run': { routes: [{ methods: POST, segments: [3, 4] }] },
  '/exec': { routes: STREAM },
  '/attach': { routes: STREAM },
  '/portForward': { routes: [{ methods: ['GET', 'POST'], segments: [2, 3] }] },
  '/checkpoint': { routes: [{ methods: POST, segments: [3] }] },
} as const satisfies Readonly<Record<string, Service>>;

export type AgentService = keyof typeof SERVICES;

export interface RouteMatch {
  readonly service: AgentService;
  /** Segments after the service's own. */
  readonly segments: readonly string[];
  /** Methods that there are for this path; empty: the path means nothing; undefined: all. */
  readonly methods: readonly string[] | undefined;
}

/** The longest first, so that a part of a service may be one of its own. */
const NAMES = (Object.keys(SERVICES) as AgentService[]).sort((a, b) => b.length - a.length);

/** Undefined: nothing is there. */
export function routeOf(path: string): RouteMatch | undefined {
  const service = NAMES.find((name) => path === name || (isFolder(name) && path.startsWith(`${name}/`)));
  if (service === undefined) return undefined;
  const { routes }: Service = SERVICES[service];
  const rest = path.slice(service.length).replace(/^\//, '').replace(/\/$/, '');
  const segments = rest === '' ? [] : rest.split('/');
  const found = routes?.find((route) => route.segments.includes(segments.length));
  return { service, segments, methods: routes && (found?.methods ?? []) };
}

const isFolder = (name: AgentService): boolean => 'routes' in SERVICES[name];
