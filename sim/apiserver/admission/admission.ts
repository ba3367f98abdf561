/**
 * Admission: plugins that may change an object before it is validated (`admit`) or refuse it after
 * (`validate`). Each is asked only for the operations that it handles.
 */
import type { Process } from '../../engine/process.ts';
import type { ApiObject, JsonObject } from '../../api/object.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import { answered } from '../authorization/awaited-answer.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import type { DraftObject, HookContext } from '../registry/strategy.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import type { PolicySource } from './policies/policy-source.ts';
import type { AdmissionMetrics } from '../metrics/admission-metrics.ts';
import type { AdmissionOperation, AdmissionStep } from './admission-steps.ts';
import { reinvocationOf } from './webhooks/reinvocation.ts';
import type { WebhookSource } from './webhooks/webhook-source.ts';

export type { AdmissionOperation } from './admission-steps.ts';

/** What plugins may know of the request and of the server, beyond what a kind's hooks may. */
export interface AdmissionContext extends HookContext {
  readonly authorizer: Authorizer;
  /** Authorization cannot refuse anything, so nobody need ask. */
  readonly allowsEverything: boolean;
  /** The name in the path; empty where the object is to be created. */
  readonly nameInPath: string;
  /** Another resource and its store; undefined: the server does not have it. */
  storeOf(resource: string): { readonly resource: Resource; readonly store: ResourceStore } | undefined;
  /** Clock, waiting, and calls to others. */
  readonly surroundings: ApiServerSurroundings;
  /** The resource of a kind in a version; undefined: the server does not serve it. */
  resourceOfKind(kind: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }): Resource | undefined;
  storeOfResource(resource: Resource): ResourceStore;
  /** Policies that are in force on this server. */
  readonly policies: PolicySource;
  /** Webhooks that are in force on this server. */
  readonly webhooks: WebhookSource;
  /** The options of the request, as webhooks are told them. */
  operationOptions(operation: AdmissionOperation): JsonObject | null;
  /** When the request has to be done, by the server's clock in milliseconds since 1970. */
  readonly deadlineMs: number;
  /** Absent: nobody counts. */
  readonly admissionMetrics: AdmissionMetrics | undefined;
  /** An annotation of the audit event. */
  annotate(key: string, value: string): void;
}

export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly version: ResourceVersion;
  readonly subresource: string;
  readonly namespace: string;
  /** A namespace that is created under the name that was sent is in itself: what reviews and policies are told. */
  readonly toldNamespace?: string;
  readonly name: string;
  /** In the storage version; undefined for deletions. */
  readonly object: DraftObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly isDryRun: boolean;
  readonly context: AdmissionContext;
  /** The subresource shows another kind than the object's own: what webhooks see, and change. */
  readonly view?: SubresourceView;
}

export const toldNamespace = ({ toldNamespace: told, namespace }: AdmissionAttributes): string =>
  told ?? namespace;

/** How a subresource of another kind (a Scale) shows the object that it is a part of. */
export interface SubresourceView {
  readonly version: Pick<ResourceVersion, 'group' | 'version' | 'apiVersion' | 'kind' | 'schema'>;
  show(object: ApiObject): ApiObject;
  /** It has no metadata, so that no selector of objects chooses it. */
  readonly isBare?: boolean;
  /** Takes over what was changed in what it shows. */
  take(draft: DraftObject, shown: ApiObject): void;
}

/** What refusals call the object: before it has a name, by the beginning of the one that it will get. */
export const shownName = ({ name, object }: Pick<AdmissionAttributes, 'name' | 'object'>): string =>
  name || object?.metadata.generateName || 'Unknown';

export interface AdmissionPlugin {
  readonly name: string;
  /** Asked once for each resource, so it must not depend on anything else. */
  handles(operation: AdmissionOperation, resource: Resource, subresource: string): boolean;
  admit?(attributes: AdmissionAttributes): Process<void> | void;
  validate?(attributes: AdmissionAttributes): Process<void> | void;
  /** What may be done is asked at once, before anything else happens. */
  readonly asksAccess?: boolean;
  /** Whether it has nothing to do at present, whatever it is asked about. Absent: it may always have. */
  isIdle?(sources: AdmissionSources): boolean;
  /** It never changes a part of an object in place: it puts another one there. */
  readonly replacesParts?: boolean;
}

/** What is in force on a server. */
export interface AdmissionSources {
  readonly policies: PolicySource;
  readonly webhooks: WebhookSource;
}

export type Step = (attributes: AdmissionAttributes) => Process<void> | void;

/** Whoever counts and times steps. */
export interface StepMeter {
  /** A plugin's part of a step, so that it is known by its name. */
  stepOf(name: string, step: Step): Step;
  /** A whole step, which begins now. */
  take(
    attributes: AdmissionAttributes,
    step: AdmissionStep,
    begin: () => Process<void> | undefined,
  ): Process<void> | undefined;
}

export type ChainKey = Pick<AdmissionAttributes, 'operation' | 'resource' | 'subresource'>;

/** The plugins that take part in an operation. */
interface Chain {
  readonly plugins: readonly AdmissionPlugin[];
  readonly admit: readonly Step[];
  /** Some of them change parts of objects in place. */
  readonly changes: boolean;
  readonly validate: readonly Step[];
}

/** The plugins of one server. What they return has to be waited for; most have nothing to wait for. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #metered: StepMeter | undefined;
  /** By resource, and operation with subresource: worked out once for each. */
  readonly #chains = new WeakMap<Resource, Map<string, Chain>>();

  /** In the order in which they run. */
  constructor(plugins: readonly AdmissionPlugin[] = [], meter?: StepMeter) {
    this.#plugins = plugins;
    this.#metered = meter;
  }

  /** Whether a plugin may change parts of the objects of an operation in place. */
  changes(operation: AdmissionOperation, resource: Resource, subresource: string): boolean {
    return this.#chainOf({ operation, resource, subresource }).changes;
  }

  /** Whether nobody would have anything to say of an operation at present. */
  isIdle(asked: ChainKey, sources: AdmissionSources): boolean {
    for (const plugin of this.#chainOf(asked).plugins) if (!plugin.isIdle?.(sources)) return false;
    return true;
  }

  /** Lets the plugins change the object. */
  admit(attributes: AdmissionAttributes): Process<void> | undefined {
    const { admit } = this.#chainOf(attributes);
    const begin = (): Process<void> | undefined => {
      const waiting = run(admit, attributes, 0);
      return waiting && admitAgain(waiting, admit, attributes);
    };
    return this.#metered ? this.#metered.take(attributes, 'admit', begin) : begin();
  }

  /** Lets the plugins refuse the object. */
  validate(attributes: AdmissionAttributes): Process<void> | undefined {
    const begin = (): Process<void> | undefined => run(this.#chainOf(attributes).validate, attributes, 0);
    return this.#metered ? this.#metered.take(attributes, 'validate', begin) : begin();
  }

  #chainOf({ operation, resource, subresource }: ChainKey): Chain {
    let ofResource = this.#chains.get(resource);
    if (!ofResource) this.#chains.set(resource, (ofResource = new Map()));
    const key = subresource === '' ? operation : `${operation} ${subresource}`;
    let chain = ofResource.get(key);
    if (!chain) {
      const part = this.#plugins.filter((plugin) => plugin.handles(operation, resource, subresource));
      chain = {
        plugins: part,
        changes: part.some(({ admit, replacesParts }) => admit !== undefined && !replacesParts),
        admit: part.flatMap((plugin) => this.#stepOf(plugin, 'admit')),
        validate: part.flatMap((plugin) => this.#stepOf(plugin, 'validate')),
      };
      ofResource.set(key, chain);
    }
    return chain;
  }

  #stepOf(plugin: AdmissionPlugin, name: AdmissionStep): readonly Step[] {
    let step: Step | undefined = plugin[name]?.bind(plugin);
    if (!step) return [];
    if (plugin.asksAccess) step = askingFirst(step);
    return [this.#metered ? this.#metered.stepOf(plugin.name, step) : step];
  }
}

const askingFirst =
  (step: Step): Step =>
  (attributes) =>
    answered(() => step(attributes));

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

/** Whatever webhooks have changed, everybody sees once more. */
function* admitAgain(
  waiting: Process<void>,
  steps: readonly Step[],
  attributes: AdmissionAttributes,
): Process<void> {
  yield* waiting;
  if (!reinvocationOf(attributes).begin()) return;
  const again = run(steps, attributes, 0);
  if (again) yield* again;
}
