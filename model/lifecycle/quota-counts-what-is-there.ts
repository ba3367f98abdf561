/**
 * Once things have settled a quota counts as many objects as there are: within the 5 minutes after which all is counted
 * anew. Only plain numbers of objects are held against it here. Kubernetes: "Resource Quotas".
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { ResourceQuota } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
} from '../nodes/observation.ts';

const WITHIN = 330 * SECOND;
/** Name in a quota, and the kind that it counts. */
const COUNTED: ReadonlyMap<string, string> = new Map([
  ['configmaps', 'ConfigMap'],
  ['count/configmaps', 'ConfigMap'],
  ['secrets', 'Secret'],
  ['count/secrets', 'Secret'],
  ['services', 'Service'],
  ['persistentvolumeclaims', 'PersistentVolumeClaim'],
  ['count/pods', 'Pod'],
  ['count/deployments.apps', 'Deployment'],
  ['count/jobs.batch', 'Job'],
]);

export class QuotaCountsWhatIsThere implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #quotas = new Map<string, ResourceQuota>();
  /** How many there are, by namespace and kind. */
  readonly #counts = new Map<string, number>();
  /** Since when something is wrong, by what. */
  readonly #wrong = new Map<string, number>();
  #isWhole = true;
  #notBefore = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'control-plane') {
      this.#isWhole = observation.isWhole;
      this.#notBefore = observation.at + CONVALESCENCE;
    } else if (observation.kind === 'stored') this.#stored(observation.before, observation.after);
  }

  look(at: number): void {
    const wrong = new Set<string>();
    for (const quota of this.#quotas.values()) {
      for (const problem of this.#problemsOf(quota)) {
        wrong.add(problem);
        const since = Math.max(this.#wrong.get(problem) ?? at, this.#notBefore);
        this.#wrong.set(problem, since);
        if (!this.#isWhole || at - since <= WITHIN + this.#settings.slack) continue;
        this.#wrong.set(problem, Number.POSITIVE_INFINITY);
        this.#settings.report(at, `${problem} for ${inSeconds(at - since)}`);
      }
    }
    for (const problem of this.#wrong.keys()) if (!wrong.has(problem)) this.#wrong.delete(problem);
  }

  #stored(before: ApiObject | undefined, after: ApiObject | undefined): void {
    const object = after ?? before;
    const namespace = object?.metadata.namespace;
    if (!object || !namespace) return;
    const change = Number(after !== undefined) - Number(before !== undefined);
    const key = `${namespace} ${object.kind}`;
    if (change !== 0) this.#counts.set(key, (this.#counts.get(key) ?? 0) + change);
    if (object.kind !== 'ResourceQuota') return;
    if (after) this.#quotas.set(object.metadata.uid ?? '', after);
    else this.#quotas.delete(object.metadata.uid ?? '');
  }

  #problemsOf({ metadata: { namespace = '', name = '' }, spec, status }: ResourceQuota): readonly string[] {
    if (spec?.scopes || spec?.scopeSelector) return [];
    return Object.keys(spec?.hard ?? {}).flatMap((limited) => {
      const kind = COUNTED.get(limited);
      if (kind === undefined) return [];
      const count = this.#counts.get(`${namespace} ${kind}`) ?? 0;
      const used = status?.used?.[limited];
      if (used === String(count)) return [];
      return [`quota ${namespace}/${name} has counted ${used ?? 'no'} ${limited}, and there are ${count}`];
    });
  }
}
