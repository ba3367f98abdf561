/**
 * Who set which field: the seam between the verbs and `api/apply`. Specification: "Field-management
 * record", "Conflict resolution options for apply".
 */
import type { ApiObject, JsonObject } from '../api/object.ts';
import { plainError } from '../api/status.ts';
import type { Exchange } from './exchange.ts';
import type { DraftObject, UpdateRules } from './registry/strategy.ts';

export function managedFieldsOfCreation(_exchange: Exchange, _draft: DraftObject, _manager: string): void {}

export interface ManagedChange {
  readonly live: ApiObject | undefined;
  readonly draft: DraftObject;
  readonly manager: string;
  readonly rules: UpdateRules | undefined;
}

export function managedFieldsOfChange(_exchange: Exchange, _change: ManagedChange): void {}

export interface Application {
  readonly live: ApiObject | undefined;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly rules: UpdateRules | undefined;
}

export function applyToObject(_exchange: Exchange, _application: Application): DraftObject {
  throw plainError('apply is not there yet');
}
