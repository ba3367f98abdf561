/** Where objects of a kind live: built-in kinds are known, others are asked for at the API server, as clients do. */
import { type KindLookup, knownKind, type ResourcePlace } from './kinds.ts';
import type { Step } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { kindOf, type FindPlace } from '../runner/step-request.ts';
import type { World } from './world.ts';

/** Of a discovery document, what matters here. */
interface ServedKinds {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

/** Of any release: whether the server has it, its answer will tell. */
function builtinKind(apiVersion: string, kind: string): KindLookup {
  const found = knownKind(apiVersion, kind);
  return found.kind === 'found' ? found : knownKind(apiVersion, kind, 'all');
}

export class KindPlaces {
  readonly #world: World;
  readonly #custom = new Map<string, ResourcePlace>();

  constructor(world: World) {
    this.#world = world;
  }

  /** @throws ScenarioError when there is no such kind */
  readonly find: FindPlace = (apiVersion, kind) => {
    const custom = this.#custom.get(`${apiVersion} ${kind}`);
    if (custom) return custom;
    const found = builtinKind(apiVersion, kind);
    if (found.kind === 'found') return found.place;
    throw new ScenarioError(`the API server serves no kind \`${kind}\` in ${apiVersion}`);
  };

  /** Asks the server about the kind of a step, if it is not built in. */
  async discover(step: Step): Promise<void> {
    const name = kindOf(step);
    if (!name || builtinKind(name.apiVersion, name.kind).kind === 'found') return;
    const { apiVersion, kind } = name;
    if (this.#custom.has(`${apiVersion} ${kind}`)) return;
    const answer = await this.#world.request({ method: 'GET', path: `/apis/${apiVersion}` });
    const { resources = [] } = (answer.body ?? {}) as ServedKinds;
    for (const { name: resource, kind: served, namespaced } of resources) {
      if (!resource.includes('/'))
        this.#custom.set(`${apiVersion} ${served}`, { apiVersion, resource, isNamespaced: namespaced });
    }
  }
}
