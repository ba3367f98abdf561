/**
 * Nobody takes what another controls: an object has one controller at the most, and gets another only after it has been
 * without. Specification: "Common object metadata".
 */
import type { ApiObject, OwnerReference } from '../../sim/api/object.ts';
import type { NodeRule, Observation, RuleSettings } from '../nodes/observation.ts';
import { controllerOf, nameOf } from './owned-pods.ts';

export class OneControllerPerObject implements NodeRule {
  readonly #settings: RuleSettings;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored' || !observation.after) return;
    const { at, before, after } = observation;
    const controllers = (after.metadata.ownerReferences ?? []).filter(
      ({ controller }) => controller === true,
    );
    if (controllers.length > 1) this.#report(at, after, `has ${controllers.length} controllers`);
    const [former, present] = [before && controllerOf(before), controllerOf(after)];
    const isTaken = former && present && former.uid !== present.uid;
    if (isTaken && before?.metadata.uid === after.metadata.uid && !isHandedOver(after, former, present))
      this.#report(
        at,
        after,
        `was taken from ${former.kind} ${former.name} by ${present.kind} ${present.name}`,
      );
  }

  look(): void {
    // What is stored says all.
  }

  #report(at: number, object: ApiObject, what: string): void {
    this.#settings.report(at, `${object.kind} ${nameOf(object)} ${what}`);
  }
}

/** A claim goes from a StatefulSet to its pod when it is to go with that, and back. */
const isHandedOver = ({ kind }: ApiObject, former: OwnerReference, present: OwnerReference): boolean =>
  kind === 'PersistentVolumeClaim' && [former.kind, present.kind].toSorted().join(' ') === 'Pod StatefulSet';
