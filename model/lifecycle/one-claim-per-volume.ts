/** A volume belongs to one claim at the most: two that are Bound never name the same one. Kubernetes: "Persistent Volumes". */
import type { ApiObject } from '../../sim/api/object.ts';
import type { PersistentVolumeClaim } from '../../sim/api/types/core-v1.ts';
import type { NodeRule, Observation, RuleSettings } from '../nodes/observation.ts';

export class OneClaimPerVolume implements NodeRule {
  readonly #settings: RuleSettings;
  /** Claims that are Bound, by uid. */
  readonly #bound = new Map<string, PersistentVolumeClaim>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    if ((after ?? before)?.kind !== 'PersistentVolumeClaim') return;
    this.#bound.delete(before?.metadata.uid ?? '');
    if (after && isBound(after)) this.#take(at, after);
  }

  look(): void {
    // What is stored says all.
  }

  #take(at: number, claim: PersistentVolumeClaim): void {
    const volume = claim.spec?.volumeName;
    const other = [...this.#bound.values()].find(({ spec }) => spec?.volumeName === volume);
    if (other)
      this.#settings.report(
        at,
        `volume ${volume ?? ''} is bound to ${textOf(other)} and to ${textOf(claim)}`,
      );
    this.#bound.set(claim.metadata.uid ?? '', claim);
  }
}

const isBound = ({ status }: ApiObject): boolean =>
  typeof status === 'object' && status !== null && Reflect.get(status, 'phase') === 'Bound';

const textOf = ({ metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): string =>
  `claim ${namespace}/${name}`;
