/** The options of a request as an object of its own, as admission webhooks are told them. */
import type { JsonObject } from '../../api/object.ts';
import type { AdmissionOperation } from '../admission/admission.ts';
import type { Exchange } from '../request/exchange.ts';
import { deleteOptionsOf } from './delete-options.ts';

const KINDS: Readonly<Partial<Record<AdmissionOperation, string>>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
};
const API_VERSION = 'meta.k8s.io/v1';

/** Null: the operation has none. */
export function operationOptionsOf(exchange: Exchange, operation: AdmissionOperation): JsonObject | null {
  if (operation === 'CONNECT') return null;
  const kind = KINDS[operation];
  if (kind === undefined) {
    const { kind: _kind, apiVersion: _version, ...options } = deleteOptionsOf(exchange) as JsonObject;
    return { kind: 'DeleteOptions', apiVersion: API_VERSION, ...options };
  }
  const { query } = exchange.request;
  const dryRun = query.all('dryRun');
  const fieldManager = query.first('fieldManager') ?? '';
  const fieldValidation = query.first('fieldValidation') ?? '';
  return {
    kind,
    apiVersion: API_VERSION,
    ...(dryRun.length > 0 && { dryRun: [...dryRun] }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}
