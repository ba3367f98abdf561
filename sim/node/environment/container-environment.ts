/**
 * The environment of a container that is to start: its variables, out of ConfigMaps, Secrets and the pod's own fields. What
 * is missing and not optional keeps the container from starting. Specification: not shown: Kubernetes 1.31.
 */
import type { Container, EnvFromSource, EnvVar } from '../../api/types/core-v1.ts';
import { envVarName } from '../../api/validation/names.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { Process } from '../../engine/process.ts';
import { type ConfigReference, readConfig, textsOf } from './config-source.ts';
import { expandReferences } from './expand-references.ts';
import { looksAtVariables, serviceVariables } from './service-variables.ts';
import { ownField, ownResource, type PodSurroundings } from './own-fields.ts';

export type EnvironmentOutcome =
  | {
      readonly kind: 'known';
      readonly variables: ReadonlyMap<string, string>;
      /** Said of sources whose keys are no names of variables. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'lacking'; readonly message: string };

type Needing = Pick<Container, 'command' | 'args' | 'env' | 'envFrom' | 'resources'>;

/** Ends the reading of an environment; nobody else sees it. */
class Lacking extends Error {
  override readonly name = 'Lacking';
}

export function* environmentOf(
  client: ApiClient,
  container: Needing,
  surroundings: PodSurroundings,
): Process<EnvironmentOutcome> {
  const ofServices = looksAtVariables(container)
    ? yield* serviceVariables(client, surroundings.pod)
    : NO_VARIABLES;
  const reading = new Reading(client, container, surroundings, ofServices);
  try {
    for (const source of container.envFrom ?? []) yield* reading.takeAll(source);
    for (const variable of container.env ?? []) yield* reading.take(variable);
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    return { kind: 'lacking', message: error.message };
  }
  for (const [name, value] of ofServices)
    if (!reading.variables.has(name)) reading.variables.set(name, value);
  return { kind: 'known', variables: reading.variables, warnings: reading.warnings };
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

class Reading {
  readonly variables = new Map<string, string>();
  readonly warnings: string[] = [];
  readonly #client: ApiClient;
  readonly #container: Needing;
  readonly #surroundings: PodSurroundings;
  readonly #namespace: string;
  /** May be spoken of, and given another value. */
  readonly #ofServices: ReadonlyMap<string, string>;

  constructor(
    client: ApiClient,
    container: Needing,
    surroundings: PodSurroundings,
    ofServices: ReadonlyMap<string, string>,
  ) {
    this.#ofServices = ofServices;
    this.#client = client;
    this.#container = container;
    this.#surroundings = surroundings;
    this.#namespace = surroundings.pod.metadata.namespace ?? '';
  }

  *takeAll({ prefix = '', configMapRef, secretRef }: EnvFromSource): Process<void> {
    const kind = configMapRef ? 'configmap' : 'secret';
    const { name = '', optional: isOptional = false } = configMapRef ?? secretRef ?? {};
    const texts = yield* this.#read(kind, { name, isOptional });
    const invalid: string[] = [];
    for (const [key, value] of texts ?? []) {
      const variable = prefix + key;
      if (envVarName(variable).length > 0) invalid.push(variable);
      else this.variables.set(variable, value);
    }
    if (invalid.length === 0) return;
    const source = `${kind === 'configmap' ? 'configMap' : 'secret'} ${this.#namespace}/${name}`;
    const names = invalid.toSorted().join(', ');
    this.warnings.push(
      `Keys [${names}] from the EnvFrom ${source} were skipped since they are considered invalid environment variable names.`,
    );
  }

  *take(variable: EnvVar): Process<void> {
    const value = yield* this.#valueOf(variable);
    if (value !== undefined) this.variables.set(variable.name, value);
  }

  /** Undefined: it may be missing, and is. */
  *#valueOf({ value = '', valueFrom }: EnvVar): Process<string | undefined> {
    if (!valueFrom || value !== '') return expandReferences(value, this.#known());
    const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
    if (fieldRef)
      return ownField(fieldRef.fieldPath, this.#surroundings) ?? lack(unknownField(fieldRef.fieldPath));
    if (resourceFieldRef) return ownResource(resourceFieldRef, this.#container, this.#surroundings);
    const kind = configMapKeyRef ? 'configmap' : 'secret';
    const { key = '', name = '', optional: isOptional = false } = configMapKeyRef ?? secretKeyRef ?? {};
    const texts = yield* this.#read(kind, { name, isOptional });
    const found = texts?.get(key);
    if (found !== undefined || isOptional) return found;
    const source = `${kind === 'configmap' ? 'ConfigMap' : 'Secret'} ${this.#namespace}/${name}`;
    return lack(`couldn't find key ${key} in ${source}`);
  }

  #known(): ReadonlyMap<string, string> {
    return this.#ofServices.size > 0 ? new Map([...this.#ofServices, ...this.variables]) : this.variables;
  }

  *#read(
    kind: ConfigReference['kind'],
    { name, isOptional }: { readonly name: string; readonly isOptional: boolean },
  ): Process<ReadonlyMap<string, string> | undefined> {
    const outcome = yield* readConfig(this.#client, { kind, namespace: this.#namespace, name });
    if (outcome.kind === 'found') return textsOf(kind, outcome.object);
    if (outcome.kind === 'missing' && isOptional) return undefined;
    return lack(outcome.message);
  }
}

const unknownField = (path: string): string => `unsupported fieldPath: ${path}`;

function lack(message: string): never {
  throw new Lacking(message);
}
