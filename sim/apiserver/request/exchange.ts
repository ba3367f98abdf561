/**
 * One request on its way through the stages: what has been learnt of it so far, and its response.
 * Stages fill it in order; a verb ends by calling `respond…`. Nothing outlives the request.
 */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import type { AccessDecision } from '../authorization/authorizer.ts';
import { invariant } from '../../engine/invariant.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Resource, ResourceVersion, ServedSubresource } from '../registry/resource.ts';
import type { ReadYaml } from './read-yaml.ts';
import type { FieldConversions } from '../conversion/field-conversions.ts';
import type { RequestInfo } from './request-info.ts';
import type { ApiRequest, ApiResponse, ResponseBody, UserInfo } from './request.ts';
import type { ServerView } from './server-view.ts';
import type { Negotiated } from '../representation/negotiate.ts';

/** The resource that a request is about. */
export interface Target {
  readonly resource: Resource;
  readonly version: ResourceVersion;
  readonly subresource?: ServedSubresource;
}

/** Most requests have none of these, and many exchanges live as long as a watch. */
const NOTHING: readonly never[] = [];
const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

export class Exchange {
  readonly server: ServerView;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  /** Wall clock of the server when the request arrived. */
  readonly receivedMs: number;
  user: UserInfo;
  /** Who asked, where `user` is somebody whom they impersonate. */
  impersonator: UserInfo | undefined;
  /** Nothing was found that takes or gives what the request has and wants: to whoever counts, nobody has asked. */
  isUnrouted = false;
  /** A defect of the server ended the request. */
  isDefective = false;
  target: Target | undefined;
  /** The target is a view of what this one is about (its Scale): what is to be told is told there. */
  viewOf: Exchange | undefined;
  accepted: Negotiated | undefined;
  /** Of a large body, where somebody has read it already. */
  readYaml: Exclude<ReadYaml, { kind: 'refused' }> | undefined;
  response: ApiResponse | undefined;
  /** What the authorizer said of it, where it was asked. */
  decision: AccessDecision | undefined;
  #warnings: Set<string> | undefined;
  #auditAnnotations: Map<string, string> | undefined;
  /** While the owners of fields are told, where somebody else converts. */
  fieldConversions: FieldConversions | undefined;
  extraHeaders: readonly (readonly [string, string])[] = NOTHING;
  /** What somebody will tell of what was sent: it is kept as it was read, for it is changed on the way. */
  told: 'nothing' | 'metadata' | 'object' = 'nothing';
  /** That, once it was read. */
  requestObject: unknown;
  #auditId: string | undefined;
  #authorizer: Authorizer | undefined;

  constructor(server: ServerView, request: ApiRequest, info: RequestInfo, user: UserInfo) {
    this.server = server;
    this.request = request;
    this.info = info;
    this.user = user;
    this.receivedMs = server.surroundings.wallMs();
  }

  /** Decides what may be done, and remembers for this request what others have said of it. */
  get authorizer(): Authorizer {
    const { authorizer } = this.server;
    return (this.#authorizer ??= authorizer.forRequest?.() ?? authorizer);
  }

  /** Those of the server's release. */
  get types(): BuiltinTypes {
    return this.server.release.catalog.types;
  }

  /** As the client chose it, or a fresh one. */
  get auditId(): string {
    return (this.#auditId ??= this.request.headers['audit-id'] ?? this.server.surroundings.uuid());
  }

  warn(text: string): void {
    if (this.viewOf) return this.viewOf.warn(text);
    (this.#warnings ??= new Set()).add(text);
  }

  /** Texts of `Warning` headers, in order, each once. */
  get warnings(): Iterable<string> {
    return this.#warnings ?? NOTHING;
  }

  get hasWarnings(): boolean {
    return this.#warnings !== undefined;
  }

  annotate(key: string, value: string): void {
    (this.#auditAnnotations ??= new Map()).set(key, value);
  }

  /** For audit, beside what follows from the decision. */
  get auditAnnotations(): ReadonlyMap<string, string> {
    return this.#auditAnnotations ?? NO_ANNOTATIONS;
  }

  addHeader(name: string, value: string): void {
    this.extraHeaders = [...this.extraHeaders, [name, value]];
  }

  /** The target, where a stage after routing needs it. */
  get routed(): Target {
    invariant(this.target !== undefined, 'a verb runs only after routing', { path: this.info.path });
    return this.target;
  }

  respond(status: number, body: ResponseBody, headers: readonly (readonly [string, string])[] = []): void {
    this.response = { status, headers, body };
  }

  respondText(status: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
    this.respond(status, { kind: 'text', text }, [['content-type', contentType]]);
  }
}
