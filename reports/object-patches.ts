/** What has changed between two snapshots of all objects, as JSON Patches (RFC 6902). Pure. */
import fastJsonPatch from 'fast-json-patch';
import type { Snapshot } from './run-record.ts';

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  /** What is there now. */
  readonly value?: unknown;
  /** What was there before. */
  readonly old?: unknown;
}

export interface ObjectPatch {
  readonly name: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly operations: readonly PatchOperation[];
}

/** Objects that differ, by name. Managed fields are noise here. */
export function patchesBetween(before: Snapshot, after: Snapshot): readonly ObjectPatch[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): ObjectPatch[] => {
    const [old, value] = [cleaned(before[name]), cleaned(after[name])];
    if (old === undefined && value === undefined) return [];
    if (old === undefined) return [{ name, change: 'created', operations: [{ op: 'add', path: '', value }] }];
    if (value === undefined)
      return [{ name, change: 'deleted', operations: [{ op: 'remove', path: '', old }] }];
    const operations = fastJsonPatch.compare(old, value, true).flatMap(operationOf);
    return operations.length === 0 ? [] : [{ name, change: 'changed', operations }];
  });
}

/** `compare` also tests, before each change, what is to be changed: that is what was there. */
function operationOf(
  operation: fastJsonPatch.Operation,
  index: number,
  all: readonly fastJsonPatch.Operation[],
): PatchOperation[] {
  const { op, path } = operation;
  if (op !== 'add' && op !== 'remove' && op !== 'replace') return [];
  const before = all[index - 1];
  const old: unknown = before?.op === 'test' && before.path === path ? before.value : undefined;
  const value: unknown = op === 'remove' ? undefined : operation.value;
  return [{ op, path, ...(value !== undefined && { value }), ...(old !== undefined && { old }) }];
}

function cleaned(object: unknown): object | undefined {
  if (typeof object !== 'object' || object === null) return undefined;
  const { metadata, ...rest } = object as { readonly metadata?: Readonly<Record<string, unknown>> };
  if (metadata === undefined) return rest;
  const { managedFields: _, ...kept } = metadata;
  return { metadata: kept, ...rest };
}
