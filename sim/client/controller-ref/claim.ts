/**
 * Whose an object is, seen from a controller that looks for its own: by the reference of the one who controls it, and by
 * whether the controller's selector matches. Pure.
 */
import type { ApiObject } from '../../api/object.ts';
import { controllerOf } from './controller-of.ts';

/**
 * `own`: it is, and stays. `adopt`: nobody controls it, and it should be. `release`: it is, and should not be any more.
 * `other`: it is none of the controller's business.
 */
export type Claim = 'own' | 'adopt' | 'release' | 'other';

export function claimOf(object: ApiObject, controller: ApiObject, isSelected: boolean): Claim {
  const owner = controllerOf(object);
  const isEnding = controller.metadata.deletionTimestamp !== undefined;
  if (owner && owner.uid !== controller.metadata.uid) return 'other';
  if (owner) {
    if (isSelected) return 'own';
    // Who is about to go leaves everything as it is: the garbage collector decides.
    return isEnding ? 'other' : 'release';
  }
  if (isEnding || !isSelected || object.metadata.deletionTimestamp !== undefined) return 'other';
  const isElsewhere =
    controller.metadata.namespace !== undefined &&
    controller.metadata.namespace !== object.metadata.namespace;
  return isElsewhere ? 'other' : 'adopt';
}
