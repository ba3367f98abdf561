/**
 * Rows of the registry in one shape. Every stage of every request reads them, and reading is several times faster where
 * all have the same members in the same order; object literals with accessors of their own have no common shape at all.
 * Schemas are made when they are first asked for: the types of most groups are never looked at.
 */
import type { StructSchema } from '../../api/schema.ts';
import type { Resource, ResourceVersion } from './resource.ts';

/** A row's facts, with the schemas still to be made. */
export type RowFacts = Omit<Resource, 'storageSchema' | 'metaSchema'> & {
  readonly storageSchema: () => StructSchema;
  readonly metaSchema: () => StructSchema;
};

export class RegistryRow implements Resource {
  readonly group;
  readonly resource;
  readonly singular;
  readonly kind;
  readonly isNamespaced;
  readonly shortNames;
  readonly categories;
  readonly versions;
  readonly workedOn;
  readonly storagePrefix;
  readonly storageApiVersion;
  readonly encodedApiVersion;
  readonly strategy;
  readonly defaultsOfStored;
  readonly isCustom;
  readonly isTerminating;
  readonly columnDescriptions;
  readonly goTypeName;
  readonly convert;
  readonly askConverted;
  readonly copies;
  readonly #schemas: Pick<RowFacts, 'storageSchema' | 'metaSchema'>;
  #storageSchema: StructSchema | undefined = undefined;
  #metaSchema: StructSchema | undefined = undefined;

  constructor(facts: RowFacts) {
    this.group = facts.group;
    this.resource = facts.resource;
    this.singular = facts.singular;
    this.kind = facts.kind;
    this.isNamespaced = facts.isNamespaced;
    this.shortNames = facts.shortNames;
    this.categories = facts.categories;
    this.versions = facts.versions;
    this.workedOn = facts.workedOn;
    this.storagePrefix = facts.storagePrefix;
    this.storageApiVersion = facts.storageApiVersion;
    this.encodedApiVersion = facts.encodedApiVersion;
    this.strategy = facts.strategy;
    this.defaultsOfStored = facts.defaultsOfStored;
    this.isCustom = facts.isCustom;
    this.isTerminating = facts.isTerminating;
    this.columnDescriptions = facts.columnDescriptions;
    this.goTypeName = facts.goTypeName;
    this.convert = facts.convert;
    this.askConverted = facts.askConverted;
    this.copies = facts.copies;
    this.#schemas = facts;
  }

  get storageSchema(): StructSchema {
    return (this.#storageSchema ??= this.#schemas.storageSchema());
  }

  get metaSchema(): StructSchema {
    return (this.#metaSchema ??= this.#schemas.metaSchema());
  }
}

type Columns = ResourceVersion['columns'];

/** A version's facts, with what is still to be made. */
export type VersionFacts = Omit<ResourceVersion, 'schema' | 'metaSchema' | 'columns'> & {
  readonly schema: () => StructSchema;
  readonly metaSchema: () => StructSchema;
  readonly columns: () => Columns;
};

export class RegistryVersion implements ResourceVersion {
  readonly group;
  readonly version;
  readonly apiVersion;
  readonly kind;
  readonly listKind;
  readonly verbs;
  readonly subresources;
  readonly deprecation;
  readonly fieldLabels;
  readonly unsupportedFieldLabel;
  readonly storageVersionHash;
  readonly declaredSchema;
  readonly table;
  readonly scale;
  readonly #made: Pick<VersionFacts, 'schema' | 'metaSchema' | 'columns'>;
  #schema: StructSchema | undefined = undefined;
  #metaSchema: StructSchema | undefined = undefined;

  constructor(facts: VersionFacts) {
    this.group = facts.group;
    this.version = facts.version;
    this.apiVersion = facts.apiVersion;
    this.kind = facts.kind;
    this.listKind = facts.listKind;
    this.verbs = facts.verbs;
    this.subresources = facts.subresources;
    this.deprecation = facts.deprecation;
    this.fieldLabels = facts.fieldLabels;
    this.unsupportedFieldLabel = facts.unsupportedFieldLabel;
    this.storageVersionHash = facts.storageVersionHash;
    this.declaredSchema = facts.declaredSchema;
    this.table = facts.table;
    this.scale = facts.scale;
    this.#made = facts;
  }

  get schema(): StructSchema {
    return (this.#schema ??= this.#made.schema());
  }

  get metaSchema(): StructSchema {
    return (this.#metaSchema ??= this.#made.metaSchema());
  }

  get columns(): Columns {
    return this.#made.columns();
  }
}
