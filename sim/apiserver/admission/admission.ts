/**
 * Admission: plugins that may change an object before it is validated (`admit`) or refuse it after
 * (`validate`). Each is asked only for the operations that it handles.
 */
import type { Process } from '../../engine/process.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Exchange } from '../request/exchange.ts';
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
  /** Asked once for each resource, so it must not depend on anything else. */
  handles(operation: AdmissionOperation, resource: Resource, subresource: string): boolean;
  admit?(attributes: AdmissionAttributes): Process<void> | void;
  validate?(attributes: AdmissionAttributes): Process<void> | void;
}

/** Lets the plugins change the object. What is returned has to be waited for; most have nothing to wait for. */
export const admit = (attributes: AdmissionAttributes): Process<void> | undefined =>
  run(chainOf(attributes).admit, attributes, 0);

/** Lets the plugins refuse the object. */
export const validateAdmission = (attributes: AdmissionAttributes): Process<void> | undefined =>
  run(chainOf(attributes).validate, attributes, 0);

type Step = (attributes: AdmissionAttributes) => Process<void> | void;

/** The plugins that take part in an operation. */
interface Chain {
  readonly admit: readonly Step[];
  readonly validate: readonly Step[];
}

/** By server's plugins, resource, and operation with subresource: worked out once for each. */
const chains = new WeakMap<readonly AdmissionPlugin[], WeakMap<Resource, Map<string, Chain>>>();

function chainOf({ operation, resource, subresource, exchange }: AdmissionAttributes): Chain {
  const plugins = exchange.server.admission;
  let ofServer = chains.get(plugins);
  if (!ofServer) chains.set(plugins, (ofServer = new WeakMap()));
  let ofResource = ofServer.get(resource);
  if (!ofResource) ofServer.set(resource, (ofResource = new Map()));
  const key = subresource === '' ? operation : `${operation} ${subresource}`;
  let chain = ofResource.get(key);
  if (!chain) {
    const part = plugins.filter((plugin) => plugin.handles(operation, resource, subresource));
    chain = {
      admit: part.flatMap((plugin) => (plugin.admit ? [plugin.admit.bind(plugin)] : [])),
      validate: part.flatMap((plugin) => (plugin.validate ? [plugin.validate.bind(plugin)] : [])),
    };
    ofResource.set(key, chain);
  }
  return chain;
}

function run(
  steps: readonly Step[],
  attributes: AdmissionAttributes,
  first: number,
): Process<void> | undefined {
  for (let index = first; index < steps.length; index++) {
    const waiting = steps[index]?.(attributes);
    if (waiting) return goOn(waiting, steps, attributes, index + 1);
  }
  return undefined;
}

function* goOn(
  waiting: Process<void>,
  steps: readonly Step[],
  attributes: AdmissionAttributes,
  next: number,
): Process<void> {
  yield* waiting;
  const rest = run(steps, attributes, next);
  if (rest) yield* rest;
}
