/**
 * A volume belongs to one claim at the most: two that are Bound never name the same one. A claim whose volume was freed,
 * so that it says of nobody to whom it belongs, or went away, has it no more, whatever its status still says: the next
 * one may take it. A volume that is meant for a claim which is there is not given straight to another: it has to be freed
 * before. Kubernetes: "Persistent Volumes".
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../sim/api/types/core-v1.ts';
import type { NodeRule, Observation, RuleSettings } from '../nodes/observation.ts';

export class OneClaimPerVolume implements NodeRule {
  readonly #settings: RuleSettings;
  /** Claims that are Bound, by uid. */
  readonly #bound = new Map<string, PersistentVolumeClaim>();
  /** All that there are, by uid. */
  readonly #present = new Map<string, PersistentVolumeClaim>();
  /** Claims, by uid, each with the volume that was taken from it. */
  readonly #bereft = new Map<string, string>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const { kind } = after ?? before ?? {};
    if (kind === 'PersistentVolume') this.#volumeStored(at, before, after);
    if (kind !== 'PersistentVolumeClaim') return;
    this.#bound.delete(before?.metadata.uid ?? '');
    this.#present.delete(before?.metadata.uid ?? '');
    if (after) this.#present.set(after.metadata.uid ?? '', after);
    if (after && isBound(after)) this.#take(at, after);
    else if (!after) this.#bereft.delete(before?.metadata.uid ?? '');
  }

  look(): void {
    // What is stored says all.
  }

  #volumeStored(at: number, before: PersistentVolume | undefined, after: PersistentVolume | undefined): void {
    const had = before?.spec?.claimRef?.uid;
    const has = after?.spec?.claimRef?.uid;
    if (had !== undefined && has === undefined) this.#bereft.set(had, before?.metadata.name ?? '');
    if (has !== undefined) this.#bereft.delete(has);
    const holder = has === undefined || had === has ? undefined : this.#present.get(had ?? '');
    if (holder)
      this.#settings.report(at, `volume ${after?.metadata.name ?? ''} was taken from ${textOf(holder)}`);
  }

  #hasVolume({ metadata, spec }: PersistentVolumeClaim): boolean {
    return this.#bereft.get(metadata.uid ?? '') !== spec?.volumeName;
  }

  #take(at: number, claim: PersistentVolumeClaim): void {
    const volume = claim.spec?.volumeName;
    const other =
      this.#hasVolume(claim) &&
      [...this.#bound.values()].find((each) => each.spec?.volumeName === volume && this.#hasVolume(each));
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
