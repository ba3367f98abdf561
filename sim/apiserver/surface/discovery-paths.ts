/** The discovery documents and OpenAPI as paths of the server, made anew when the registry changes. */
import { append } from '../../api/append.ts';
import type { GroupFact } from '../../api/catalog/builtin-resources.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { JsonObject } from '../../api/object.ts';
import type { Process } from '../../engine/process.ts';
import { aggregatedDiscovery, type AggregatedRoot, type AggregatedVersion } from '../discovery/aggregated.ts';
import { entityTag } from '../discovery/content-tag.ts';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  rootPaths,
} from '../discovery/group-documents.ts';
import { registeredGroups } from '../discovery/registered-groups.ts';
import {
  type Served,
  type ServedResource,
  type ForeignVersion,
  withCustomResources,
  withForeign,
} from '../discovery/served.ts';
import { publisherOf, withForeignIndex, withForeignSwagger } from '../aggregation/merge-documents.ts';
import type { ForeignServices } from '../aggregation/foreign-services.ts';
import { passOnTo } from '../aggregation/pass-on.ts';
import type { Exchange } from '../request/exchange.ts';
import { unknownParametersOf } from '../machinery.ts';
import type { ServerView } from '../request/server-view.ts';
import { respondDocument } from './openapi-answers.ts';
import { OpenApiDocuments } from '../openapi/openapi-documents.ts';
import {
  MEDIA_TYPE_OF,
  negotiate,
  negotiateParameters,
  type Negotiated,
  type Offer,
  PLAIN_OFFER,
  type View,
} from '../representation/negotiate.ts';
import { deepFreeze } from '../registry/storage-form.ts';
import { respondIndented, respondPlain } from '../representation/respond.ts';
import { isReleasedBy, type Release } from '../../api/release/release.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { methodNotAllowed, pageNotFound, resourceNotFound } from '../stages/route.ts';

const AGGREGATED_KIND = 'APIGroupDiscoveryList';
const AGGREGATED_GROUP = 'apidiscovery.k8s.io';

/** From when on, and until when, servers speak it by default; of 1.29 to 1.36 they were asked. */
const AGGREGATED_VERSIONS: Readonly<
  Record<AggregatedVersion, { readonly since: string; readonly until?: string }>
> = {
  v2: { since: '1.30' },
  v2beta1: { since: '1.26', until: '1.33' },
};

const isAggregated = (version: string): version is AggregatedVersion => version in AGGREGATED_VERSIONS;

function speaks(release: Release, version: AggregatedVersion): boolean {
  const { since, until } = AGGREGATED_VERSIONS[version];
  return isReleasedBy(release, since) && (until === undefined || !isReleasedBy(release, until));
}

/** Components of the simulation have no other way to learn what is served, whatever the release. */
const aggregatedOffer = ({ server: { release, machinery }, request }: Exchange): Offer => ({
  ...PLAIN_OFFER,
  allowsView: ({ kind, group, version }: View) =>
    kind === AGGREGATED_KIND &&
    group === AGGREGATED_GROUP &&
    isAggregated(version) &&
    (!request.wire || (machinery.aggregatesDiscovery && speaks(release, version))),
});

/** Whoever keeps it, keeps it for everybody. */
const SHARED = [
  ['vary', 'Accept'],
  ['cache-control', 'public'],
] as const;

/** Groups have no time of creation; since then it is not even shown as null. */
const OMITS_EMPTY_TIMESTAMPS = '1.34';

type ReleaseView = Pick<ServerView, 'registry' | 'release' | 'machinery' | 'foreignServices'>;

export class DiscoveryPaths {
  #generation = -1;
  #foreignGeneration = -1;
  #served: Served = { groups: [], resources: [] };
  /** Of which the document of all groups was asked for last. */
  #aggregated: Served | undefined;
  #openApi: OpenApiDocuments | undefined;
  /** With what other servers say. */
  #swagger: JsonObject | undefined;
  readonly #otherPaths: (server: ServerView) => readonly string[];

  /** `otherPaths`: what `/` lists beside the API groups. */
  constructor(otherPaths: (server: ServerView) => readonly string[]) {
    this.#otherPaths = otherPaths;
  }

  /** `/api` and `/apis`, also aggregated, but for `/apis/`. */
  root(exchange: Exchange, root: AggregatedRoot): void {
    if (root === 'api' && exchange.request.method !== 'GET') throw methodNotAllowed();
    const offer = exchange.info.path === '/apis/' ? PLAIN_OFFER : aggregatedOffer(exchange);
    const accepted = root === 'api' ? accept(exchange, offer) : acceptOfAggregator(exchange, offer);
    if (accepted.view) {
      this.#respondAggregated(exchange, accepted, root, accepted.view.version === 'v2' ? 'v2' : 'v2beta1');
      return;
    }
    if (root === 'api')
      respondPlain(exchange, 200, apiVersions(serverAddress(exchange)), 'meta.k8s.io/v1.APIVersions');
    else
      respondPlain(
        exchange,
        200,
        apiGroupList({ groups: this.#registered(exchange.server) }),
        'meta.k8s.io/v1.APIGroupList',
      );
  }

  /** `/apis/<group>`. */
  group(exchange: Exchange, name: string): void {
    const { server } = exchange;
    const group =
      apiGroup({ groups: this.#registered(server) }, name) ?? apiGroup(this.#current(server), name);
    if (!group) {
      pageNotFound(exchange);
      return;
    }
    if (name === OWN_GROUP && exchange.request.method !== 'GET') throw methodNotAllowed();
    if (name === OWN_GROUP) accept(exchange, PLAIN_OFFER);
    else acceptOfAggregator(exchange, PLAIN_OFFER);
    respondPlain(exchange, 200, group, 'meta.k8s.io/v1.APIGroup');
  }

  /** `/api/v1`, `/apis/<group>/<version>`. */
  version(exchange: Exchange, group: string, version: string): void {
    const served = this.#current(exchange.server);
    if (!served.groups.some(({ name }) => name === group)) {
      pageNotFound(exchange);
      return;
    }
    const list = apiResourceList(served, group, version);
    if (!list) {
      const { registry } = exchange.server;
      if (registry.hasGroup(group) && !registry.isCustomGroup(group)) throw resourceNotFound();
      pageNotFound(exchange);
      return;
    }
    // What lists custom resources does not ask what it is asked for.
    if (exchange.server.registry.isCustomGroup(group)) acceptOfAggregator(exchange, PLAIN_OFFER);
    else if (exchange.request.method !== 'GET') throw methodNotAllowed();
    else accept(exchange, PLAIN_OFFER);
    respondPlain(exchange, 200, list, 'meta.k8s.io/v1.APIResourceList');
  }

  /** `/`: what there is. */
  index(exchange: Exchange): void {
    // In whatever form it is asked for: it comes as JSON.
    respondIndented(exchange, rootPaths(this.#current(exchange.server), this.#otherPaths(exchange.server)));
  }

  openApiIndex(exchange: Exchange): void {
    const { server } = exchange;
    const index = withForeignIndex(this.#documents(server).index(), server.foreignServices);
    exchange.respondText(200, encodeJson(index), 'text/plain; charset=utf-8');
  }

  openApiDocument(exchange: Exchange, name: string): Process<void> | void {
    const documents = this.#documents(exchange.server);
    const document = documents.document(name);
    if (document) {
      const listed = { path: `/openapi/v3/${name}`, hash: documents.hashOf(name) };
      return respondDocument(exchange, { version: 'v3', document: () => document, listed });
    }
    const { foreignServices } = exchange.server;
    const service = publisherOf(foreignServices, name);
    if (service) return passOnTo(exchange, service);
    exchange.respond(404, { kind: 'none' });
  }

  swagger(exchange: Exchange): void {
    const { server } = exchange;
    const document = (): JsonObject => {
      const own = this.#documents(server).swagger();
      return (this.#swagger ??= withForeignSwagger(own, server.foreignServices));
    };
    respondDocument(exchange, { version: 'v2', document });
  }

  #respondAggregated(
    exchange: Exchange,
    { encoding, view }: Negotiated,
    root: AggregatedRoot,
    version: AggregatedVersion,
  ): void {
    const document = this.#aggregatedOf(exchange.server, root, version);
    if (root === 'apis' && this.#aggregated !== this.#served) {
      this.#aggregated = this.#served;
      exchange.server.meters?.aggregator.aggregated();
    }
    if (!exchange.request.wire) {
      exchange.respond(200, { kind: 'object', object: document });
      return;
    }
    const text = encodeJson(document);
    const tag = entityTag(text);
    const type = `${MEDIA_TYPE_OF[encoding]};g=${view?.group ?? ''};v=${version};as=${view?.kind ?? ''}`;
    if (exchange.request.headers['if-none-match'] === tag) {
      exchange.respond(304, { kind: 'none' }, [['etag', tag], ...SHARED]);
      return;
    }
    respondPlain(exchange, 200, document, `apidiscovery.k8s.io/${version}.APIGroupDiscoveryList`);
    const { response } = exchange;
    if (response) {
      exchange.response = {
        ...response,
        headers: [['content-type', type], ['etag', tag], ...SHARED],
      };
    }
  }

  /** The same document as long as nothing changes. */
  #aggregatedOf(server: ReleaseView, root: AggregatedRoot, version: AggregatedVersion): JsonObject {
    const served = this.#current(server);
    const documents = aggregated.get(served) ?? new Map<string, JsonObject>();
    aggregated.set(served, documents);
    const known = documents.get(root + version);
    if (known) return known;
    const document = deepFreeze(
      aggregatedDiscovery(served, {
        root,
        version,
        omitsEmptyTimestamp: isReleasedBy(server.release, OMITS_EMPTY_TIMESTAMPS),
      }),
    );
    documents.set(root + version, document);
    return document;
  }

  #documents(server: ReleaseView): OpenApiDocuments {
    this.#current(server);
    return (this.#openApi ??= new OpenApiDocuments({
      served: servedOf(server.registry, server.release),
      release: server.release,
      declaredSchema: (kind) => server.registry.declaredSchema(kind),
      unknownParameters: unknownParametersOf(server.machinery),
    }));
  }

  #registered(server: ReleaseView): readonly GroupFact[] {
    return registeredGroups(this.#current(server), server.foreignServices.registered);
  }

  #current({ registry, release, foreignServices }: ReleaseView): Served {
    const { generation } = foreignServices;
    if (this.#generation === registry.generation && this.#foreignGeneration === generation)
      return this.#served;
    this.#generation = registry.generation;
    this.#foreignGeneration = generation;
    this.#openApi = undefined;
    this.#swagger = undefined;
    this.#served = withForeign(
      servedOf(registry, release),
      foreignVersions(foreignServices),
      release.rules.servicePriorities,
    );
    return this.#served;
  }
}

/** Of what is never changed, and the same for many servers of a process. */
const aggregated = new WeakMap<Served, Map<string, JsonObject>>();
const servedAtFirst = new WeakMap<readonly Resource[], Map<Release, Served>>();

function servedOf(registry: Registry, release: Release): Served {
  const { unchanged } = registry;
  if (!unchanged) return servedBy(registry, release);
  const byRelease = servedAtFirst.get(unchanged) ?? new Map<Release, Served>();
  servedAtFirst.set(unchanged, byRelease);
  const known = byRelease.get(release) ?? servedBy(registry, release);
  byRelease.set(release, known);
  return known;
}

const foreignVersions = (foreign: ForeignServices): readonly ForeignVersion[] =>
  [...foreign.services.values()].map(({ name, group, version, groupPriority, versionPriority }) => {
    const { resources, isStale } = foreign.contentOf(name);
    return { group, version, groupPriority, versionPriority, isStale, ...(resources && { resources }) };
  });

function servedBy(registry: Registry, release: Release): Served {
  const builtin: ServedResource[] = [];
  const custom: ServedResource[] = [];
  for (const resource of registry.all()) append(resource.isCustom ? custom : builtin, rowsOf(resource));
  return withCustomResources(
    { groups: groupsOf(release.catalog.resources.groups('all'), builtin), resources: builtin },
    custom,
  );
}

/** What is left to do with objects whose definition ends. */
const LAST_VERBS: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'watch']);

function rowsOf(resource: Resource): ServedResource[] {
  return [...resource.versions.values()].map(
    ({ group, version, kind, verbs, subresources, storageVersionHash }) => ({
      group,
      version,
      resource: resource.resource,
      singular: resource.singular,
      kind,
      namespaced: resource.isNamespaced,
      verbs: resource.isTerminating ? [...verbs].filter((verb) => LAST_VERBS.has(verb)) : [...verbs],
      shortNames: resource.shortNames,
      categories: resource.categories,
      ...(storageVersionHash !== undefined && { storageVersionHash }),
      ...(!resource.isCustom && { isBuiltIn: true }),
      subresources: [...subresources.values()],
    }),
  );
}

/** The groups of these rows in the order of a real server, with the versions that are served. */
function groupsOf(all: readonly GroupFact[], rows: readonly ServedResource[]): GroupFact[] {
  return all.flatMap(({ name, versions, preferredVersion }) => {
    const served = versions.filter((version) =>
      rows.some((row) => row.group === name && row.version === version),
    );
    const [first] = served;
    if (first === undefined) return [];
    return [
      {
        name,
        versions: served,
        preferredVersion: served.includes(preferredVersion) ? preferredVersion : first,
      },
    ];
  });
}

/** What the aggregator serves by hand is asked for by parameters alone. */
const acceptOfAggregator = (exchange: Exchange, offer: Offer): Negotiated =>
  accept(exchange, offer, negotiateParameters);

function accept(exchange: Exchange, offer: Offer, read = negotiate): Negotiated {
  const accepted = read(exchange.request.headers['accept'], offer);
  exchange.accepted = { ...accepted, view: accepted.view };
  return accepted;
}

/** The aggregator's own group is served like any other resource. */
const OWN_GROUP = 'apiregistration.k8s.io';

const serverAddress = ({ request, server }: Exchange): string =>
  server.publicAddress || (request.headers['host'] ?? 'localhost');
