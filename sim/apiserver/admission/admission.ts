/**
 * Admission: plugins that may change an object before it is validated (`admit`) or refuse it after
 * (`validate`). Each is asked only for the operations that it handles.
 */
import type { Process } from '../../engine/process.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Exchange } from '../exchange.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import type { DraftObject, HookContext } from '../registry/strategy.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly version: ResourceVersion;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** In the storage version; undefined for deletions. */
  readonly object: DraftObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly isDryRun: boolean;
  readonly context: HookContext;
  readonly exchange: Exchange;
}

export interface AdmissionPlugin {
  readonly name: string;
  handles(operation: AdmissionOperation, resource: Resource, subresource: string): boolean;
  admit?(attributes: AdmissionAttributes): Process<void> | void;
  validate?(attributes: AdmissionAttributes): Process<void> | void;
}

export function* admit(attributes: AdmissionAttributes): Process<void> {
  const { operation, resource, subresource, exchange } = attributes;
  for (const plugin of exchange.server.admission) {
    if (!plugin.admit || !plugin.handles(operation, resource, subresource)) continue;
    const waiting = plugin.admit(attributes);
    if (waiting) yield* waiting;
  }
}

export function* validateAdmission(attributes: AdmissionAttributes): Process<void> {
  const { operation, resource, subresource, exchange } = attributes;
  for (const plugin of exchange.server.admission) {
    if (!plugin.validate || !plugin.handles(operation, resource, subresource)) continue;
    const waiting = plugin.validate(attributes);
    if (waiting) yield* waiting;
  }
}
