/**
 * The OpenAPI documents of a server: the index and one document per group version (version 3), and everything in one
 * (version 2). A document is made when it is asked for the first time and then kept; when the served resources change,
 * the server makes a new `OpenApiDocuments`. It knows schemas and paths, not requests or encodings.
 * Specification: "OpenAPI".
 */
import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { JsonObject } from '../../api/object.ts';
import type { Release } from '../../api/release/release.ts';
import { byKey } from '../../api/go-text.ts';
import { contentTag } from '../discovery/content-tag.ts';
import { resourcesOf, type Served } from '../discovery/served.ts';
import { type BuiltinSchemas, builtinSchemasOf } from './builtin-schemas.ts';
import { componentsFor, customSchemas, type CustomSchemas } from './components.ts';
import { groupPaths, SERVER_DOCUMENTS, versionPath } from './discovery-paths.ts';
import { rootOf } from './operation-names.ts';
import { withoutParameters } from './parameters.ts';
import { resourcePaths, type Paths } from './resource-paths.ts';
import { swaggerOf } from './swagger.ts';

export interface OpenApiSource {
  readonly release: Release;
  readonly served: Served;
  /** The `openAPIV3Schema` of a custom kind, as its definition declares it. */
  readonly declaredSchema?: (kind: GroupVersionKind) => JsonObject | undefined;
  /** Query parameters that the server does not read; default: none. */
  readonly unknownParameters?: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

export class OpenApiDocuments {
  readonly #source: OpenApiSource;
  readonly #schemas: BuiltinSchemas;
  readonly #makers: ReadonlyMap<string, () => JsonObject>;
  readonly #documents = new Map<string, JsonObject>();
  #swagger: JsonObject | undefined;

  constructor(source: OpenApiSource) {
    this.#source = source;
    this.#schemas = builtinSchemasOf(source.release.catalog);
    this.#makers = new Map([...this.#documentMakers()].sort(byKey));
  }

  /** `/openapi/v3`: where each document is, with a hash that changes with what is served there. */
  index(): JsonObject {
    const entries = [...this.#makers.keys()].map((name) => [
      name,
      { serverRelativeURL: `/openapi/v3/${name}?hash=${this.hashOf(name)}` },
    ]);
    return { paths: Object.fromEntries(entries) };
  }

  /** The hash of a document in the index, without making the document. */
  hashOf(name: string): string {
    const [, group = '', version = ''] = /^(?:api|apis\/([^/]+))\/([^/]+)$/.exec(name) ?? [];
    const rows = resourcesOf(this.#source.served, group, version);
    const declared = rows.map((row) => this.#source.declaredSchema?.(row) ?? null);
    const { gitVersion } = this.#source.release.versionInfo;
    return contentTag(JSON.stringify([gitVersion, name, rows, declared]));
  }

  /** `/openapi/v3/<name>`: `api/v1`, `apis/apps/v1`, `version`, …; undefined if there is no such document. */
  document(name: string): JsonObject | undefined {
    const known = this.#documents.get(name);
    if (known) return known;
    const made = this.#makers.get(name)?.();
    if (made) this.#documents.set(name, made);
    return made;
  }

  /** `/openapi/v2`: all paths and schemas in one document. */
  swagger(): JsonObject {
    if (this.#swagger) return this.#swagger;
    const documents = [...this.#makers.keys()].map((name) => this.document(name) ?? {});
    const paths = documents.flatMap((document) => Object.entries(document['paths'] as JsonObject));
    const everything = new Map(paths.sort(byKey)) as Paths;
    const kinds = this.#source.served.resources;
    this.#swagger = swaggerOf(this.#document(everything, this.#customSchemas(kinds)));
    return this.#swagger;
  }

  *#documentMakers(): Generator<[string, () => JsonObject]> {
    for (const [name, paths] of SERVER_DOCUMENTS) yield [name, () => this.#document(paths, new Map())];
    for (const { name: group, versions } of this.#source.served.groups) {
      // Of groups of definitions nobody says where their versions and resources are listed.
      if (group !== '' && this.#isBuiltin(group))
        yield [`apis/${group}`, () => this.#document(groupPaths(group), new Map())];
      for (const version of versions) {
        yield [rootOf(group, version).slice(1), () => this.#versionDocument(group, version)];
      }
    }
  }

  #versionDocument(group: string, version: string): JsonObject {
    const rows = resourcesOf(this.#source.served, group, version);
    const custom = this.#customSchemas(rows);
    const root = rootOf(group, version);
    const paths = new Map(this.#isBuiltin(group) ? versionPath(root, group, version) : []);
    for (const row of rows) {
      for (const [path, item] of resourcePaths(row, {
        schemas: this.#schemas,
        hasWatchPaths: custom.size === 0,
      }))
        paths.set(path, item);
    }
    return this.#document(new Map([...paths].sort(byKey)), custom);
  }

  #isBuiltin(group: string): boolean {
    const { resources } = this.#source.served;
    const rows = resources.filter((row) => row.group === group);
    return rows.length === 0 || rows.some((row) => row.isBuiltIn === true);
  }

  #customSchemas(kinds: readonly GroupVersionKind[]): CustomSchemas {
    return customSchemas(this.#schemas, kinds, (kind) => this.#source.declaredSchema?.(kind));
  }

  #document(paths: Paths, custom: CustomSchemas): JsonObject {
    const items = withoutParameters(
      Object.fromEntries(paths) as JsonObject,
      this.#source.unknownParameters ?? NOTHING,
    );
    return {
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: this.#source.release.versionInfo.gitVersion },
      paths: items,
      components: {
        schemas: componentsFor(items, custom, this.#schemas),
        securitySchemes: {
          BearerToken: {
            type: 'apiKey',
            description: 'Bearer Token authentication',
            name: 'authorization',
            in: 'header',
          },
        },
      },
    };
  }
}
