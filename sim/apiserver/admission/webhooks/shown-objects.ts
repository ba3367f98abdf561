/** The objects of a request as webhooks see them: in the version that their rules name, in their own words on the wire. */
import { canonical } from '../../../api/codec/canonical.ts';
import type { ApiObject } from '../../../api/object.ts';
import type { Process } from '../../../engine/process.ts';
import { copied, deepFreeze } from '../../registry/storage-form.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import type { AdmissionAttributes } from '../admission.ts';

export interface Shown {
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

export interface ShownObjects {
  in(version: ResourceVersion): Process<Shown>;
}

/** Of an object that nobody changes meanwhile: each version is made once. */
export class UnchangedObjects implements ShownObjects {
  readonly #attributes: AdmissionAttributes;
  readonly #made = new Map<ResourceVersion, Shown>();

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  *in(version: ResourceVersion): Process<Shown> {
    const known = this.#made.get(version);
    if (known) return known;
    const made = yield* shownIn(this.#attributes, version);
    this.#made.set(version, made);
    return made;
  }
}

/** As it is now. */
export function* shownIn(attributes: AdmissionAttributes, version: ResourceVersion): Process<Shown> {
  return {
    object: yield* oneIn(attributes, attributes.object, version),
    oldObject: yield* oneIn(attributes, attributes.oldObject, version),
  };
}

function* oneIn(
  { resource, view, context }: AdmissionAttributes,
  object: ApiObject | undefined,
  { apiVersion, schema }: ResourceVersion,
): Process<ApiObject | undefined> {
  if (!object) return undefined;
  if (view) return deepFreeze(copied(view.show(object)));
  const isForeign = resource.askConverted !== undefined && object.apiVersion !== apiVersion;
  const [converted] =
    isForeign && resource.askConverted
      ? yield* resource.askConverted([object], apiVersion, context.surroundings, 'nothing')
      : [resource.convert(object, apiVersion)];
  if (!converted) return undefined;
  // Parts that a struct always has are shown though nobody has said them, or a strategy has taken them away.
  const whole = resource.isCustom ? converted : (canonical(schema, converted) as ApiObject);
  return Object.isFrozen(whole) ? whole : deepFreeze(copied(whole));
}
