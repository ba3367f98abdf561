import { canonical } from '../codec/canonical.ts';
import type { Json, JsonObject, ManagedFieldsEntry, ObjectMeta } from '../object.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import type { StructSchema } from '../schema.ts';
import { atOnce } from '../steps.ts';
import type { Applied } from './apply-patch.ts';
import { applyPatchToObject } from './apply-patch.ts';
import { keepIdleTimes, managedFieldsOfUpdate } from './managed-update.ts';
import { writeManagers } from './managers.ts';

export const { types } = RELEASE_1_31.catalog;

interface World {
  readonly kind: string;
  readonly apiVersion: string;
  readonly typeKey: string;
}

const CONFIG_MAP: World = { kind: 'ConfigMap', apiVersion: 'v1', typeKey: 'v1.ConfigMap' };
export const DEPLOYMENT: World = { kind: 'Deployment', apiVersion: 'apps/v1', typeKey: 'apps/v1.Deployment' };

/** One object under writes by several managers, one second apart, without a server around it. */
export class ManagedObject {
  live: JsonObject | undefined;
  private second = 0;
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  private versions(): Parameters<typeof managedFieldsOfUpdate>[0] {
    const { apiVersion, typeKey } = this.world;
    const now = new Date(this.second++ * 1000).toISOString().replace('.000', '');
    const schemaOf = (version: string): StructSchema | undefined =>
      version === apiVersion ? types.structOf(typeKey) : undefined;
    return { schemaOf, convert: () => undefined, apiVersion, now, manager: '', live: this.live, updated: {} };
  }

  private complete(object: JsonObject): JsonObject {
    const { kind, apiVersion, typeKey } = this.world;
    const metadata = { name: 'a', ...(object['metadata'] as JsonObject | undefined), uid: 'u' };
    return canonical(types.structOf(typeKey), { kind, apiVersion, ...object, metadata });
  }

  private store(object: JsonObject, managedFields: readonly ManagedFieldsEntry[] | undefined): void {
    const { managedFields: _, ...metadata } = object['metadata'] as JsonObject;
    const entries = managedFields && { managedFields: managedFields as unknown as Json };
    const stored = this.complete({ ...object, metadata: { ...metadata, ...entries } });
    this.live = this.live ? keepIdleTimes(this.live, stored) : stored;
  }

  put(
    manager: string,
    object: JsonObject,
    sentEntries?: readonly ManagedFieldsEntry[],
    subresource?: string,
  ): this {
    const updated = this.complete(object);
    this.store(
      updated,
      atOnce(managedFieldsOfUpdate({ ...this.versions(), updated, manager, sentEntries, subresource })),
    );
    return this;
  }

  apply(manager: string, object: JsonObject, force = false): this {
    const { kind, apiVersion } = this.world;
    const metadata = { name: 'a', ...(object['metadata'] as JsonObject | undefined) };
    const applied = { apiVersion, kind, ...object, metadata };
    const result: Applied = atOnce(applyPatchToObject({ ...this.versions(), kind, applied, manager, force }));
    this.store(result.object ?? this.live ?? {}, writeManagers(result.managers));
    return this;
  }

  metadata(): ObjectMeta {
    return (this.live?.['metadata'] ?? {}) as ObjectMeta;
  }

  /** `manager operation: fields`, one line for each entry. */
  owners(): readonly string[] {
    const { managedFields = [] } = this.metadata();
    return managedFields.map(
      ({ manager, operation, fieldsV1 }) => `${manager} ${operation}: ${short(fieldsV1)}`,
    );
  }
}

/** FieldsV1 without quotes and `f:`, `.` for the path itself. */
export const short = (fields: JsonObject | undefined): string =>
  JSON.stringify(fields ?? {})
    .replaceAll(/"f:([^"]*)":/g, '$1:')
    .replaceAll(/"\.":\{\}/g, '.')
    .replaceAll(/:\{\}/g, '')
    .replaceAll('\\"', "'");

export const configMap = (): ManagedObject => new ManagedObject(CONFIG_MAP);
export const deployment = (): ManagedObject => new ManagedObject(DEPLOYMENT);
