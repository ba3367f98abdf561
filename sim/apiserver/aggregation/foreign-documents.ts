/**
 * What those that serve groups of their own say of themselves: their resources for discovery, and their OpenAPI documents, which
 * ones each has (version 3), and what it says of its group version (version 2). They are asked when one becomes available, and
 * each minute from then on; whoever publishes nothing has nothing to merge. What was learnt stays while its APIService does. Specification: not shown (Kubernetes: aggregation layer).
 */
import { bodyObject, type HttpAnswer, type OutgoingHeaders } from '../../api/http-call.ts';
import type { JsonObject } from '../../api/object.ts';
import type { UserInfo } from '../request/request.ts';
import type { Process } from '../../engine/process.ts';
import { callTarget } from '../admission/webhooks/call-target.ts';
import { AGGREGATED_ACCEPT, aggregatedContents, listedContent } from './foreign-discovery.ts';
import type { ForeignService, ForeignServices } from './foreign-services.ts';
import { type ForeignHost, targetOfForeign } from './foreign-target.ts';
import { userHeaders } from './passed-headers.ts';

const ROUND_MS = 60_000;
const PATIENCE_MS = 60_000;
/** Each asks under a name of its own. */
const AGGREGATOR = { name: 'system:aggregator', groups: [] };
const DISCOVERER = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const LISTER = { name: 'system:kube-aggregator', groups: [] };

interface DocumentsHost extends ForeignHost {
  readonly foreignServices: ForeignServices;
}

export class ForeignDocuments {
  readonly #host: DocumentsHost;
  readonly #askedAtMs = new Map<string, number>();

  constructor(host: DocumentsHost) {
    this.#host = host;
  }

  /** Also of one that was not found to be available, which may have something to say all the same. */
  refresh(service: ForeignService): void {
    const nowMs = this.#host.surroundings.wallMs();
    const askedAtMs = this.#askedAtMs.get(service.name);
    if (service.isAvailable && askedAtMs !== undefined && nowMs - askedAtMs < ROUND_MS) return;
    this.#askedAtMs.set(service.name, nowMs);
    this.#host.surroundings.start(this.#ask(service));
  }

  *#ask(service: ForeignService): Process<void> {
    yield* this.#askContent(service);
    if (service.isAvailable || this.#host.foreignServices.services.get(service.name)?.isAvailable)
      yield* this.#askDocuments(service);
  }

  /** Who does not say what it serves any more has what it said last. */
  *#askContent(service: ForeignService): Process<void> {
    const { foreignServices } = this.#host;
    const { name, group, version } = service;
    const all = yield* this.#get(service, '/apis', DISCOVERER, { accept: AGGREGATED_ACCEPT });
    const { 'content-type': type = '' } = all?.headers ?? {};
    const contents = all?.status === 200 ? aggregatedContents(type, objectIn(all)) : undefined;
    if (contents) {
      const resources = contents.get(`${group}/${version}`);
      foreignServices.learn(service, { ...(resources && { resources }), isStale: false });
      return;
    }
    const one = yield* this.#get(service, `/apis/${group}/${version}`, LISTER, {
      accept: 'application/json',
    });
    const resources = one?.status === 200 ? listedContent(objectIn(one)) : undefined;
    foreignServices.learn(
      service,
      resources ? { resources, isStale: false } : { ...foreignServices.contentOf(name), isStale: true },
    );
  }

  *#askDocuments(service: ForeignService): Process<void> {
    const { foreignServices } = this.#host;
    const index = yield* this.#get(service, '/openapi/v3', AGGREGATOR);
    if (index?.status === 200) foreignServices.learnIndex(service, pathsIn(objectIn(index)));
    const tag = foreignServices.swaggerTagOf(service.name);
    const swagger = yield* this.#get(service, '/openapi/v2', AGGREGATOR, {
      accept: 'application/json',
      ...(tag !== undefined && { 'if-none-match': tag }),
    });
    if (swagger?.status !== 200) return;
    const document = objectIn(swagger);
    if (document) foreignServices.learnSwagger(service, document, swagger.headers?.['etag']);
  }

  *#get(
    service: ForeignService,
    path: string,
    user: UserInfo,
    headers: OutgoingHeaders = {},
  ): Process<HttpAnswer | undefined> {
    const { surroundings } = this.#host;
    const call = { method: 'GET', path, headers: { ...headers, ...userHeaders(user) } } as const;
    const outcome = yield* callTarget(surroundings, targetOfForeign(this.#host, service), call, PATIENCE_MS);
    return outcome.kind === 'answer' ? outcome.answer : undefined;
  }
}

function objectIn({ body }: HttpAnswer): JsonObject | undefined {
  try {
    const object = bodyObject(body);
    return typeof object === 'object' && object !== null ? (object as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** By name of the document: where it is. */
function pathsIn(index: JsonObject | undefined): ReadonlyMap<string, string> {
  const { paths } = (index ?? {}) as { readonly paths?: unknown };
  if (typeof paths !== 'object' || paths === null) return new Map();
  return new Map(
    Object.entries(paths).flatMap(([name, entry]: [string, unknown]) => {
      const { serverRelativeURL: url } = (entry ?? {}) as { readonly serverRelativeURL?: unknown };
      return typeof url === 'string' ? [[name, url] as const] : [];
    }),
  );
}
