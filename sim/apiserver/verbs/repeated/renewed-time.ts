/** A PUT of a whole object of which one time is new: the renewal of a lease. */
import { isMap } from '../../../api/apply/shape.ts';
import type { ApiObject, JsonObject } from '../../../api/object.ts';
import { isUsualMicroTime } from '../../../api/time-format.ts';
import type { RenewedTime } from '../../registry/strategy.ts';
import { differsAtMostIn, type Entries, type Repetition } from './repetition.ts';

export class RenewedTimeUpdate implements Repetition {
  readonly contentType = undefined;
  readonly #renewed: RenewedTime;

  constructor(renewed: RenewedTime) {
    this.#renewed = renewed;
  }

  /** One manager, who owns the time: it stays the only one, and owns what it owns. */
  begins(_body: JsonObject, _object: ApiObject, { own, others }: Entries): boolean {
    const { member, leaf } = this.#renewed;
    const owned = own.fieldsV1?.[`f:${member}`] as JsonObject | undefined;
    return others.length === 0 && `f:${leaf}` in (owned ?? {});
  }

  get member(): string {
    return this.#renewed.member;
  }

  renewed(body: JsonObject, object: JsonObject): JsonObject | undefined {
    const { member, leaf } = this.#renewed;
    if (!differsAtMostIn(member, body, object)) return undefined;
    const [part, old] = [body[member], object[member] as JsonObject];
    if (!isMap(part) || !differsAtMostIn(leaf, part, old)) return undefined;
    const time = part[leaf];
    const isNew = typeof time === 'string' && time !== old[leaf] && isUsualMicroTime(time);
    return isNew ? { ...old, [leaf]: time } : undefined;
  }
}
