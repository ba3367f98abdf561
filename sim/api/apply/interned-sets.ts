/**
 * Sets of field paths that are held once, so that each keeps its encoded form: of objects of one shape the writers own the
 * same.
 */
import { FieldSet } from './field-set.ts';
import { HeldOnce } from './held-once.ts';
import type { PathElement } from './path-element.ts';

/** Of so many elements no other set has just the same. */
const MOST_ELEMENTS = 100;

type Sets = HeldOnce<PathElement | FieldSet, FieldSet>;

const members: Sets = new HeldOnce();
const others: Sets = new HeldOnce();

/** The one set that has these paths, as far as it is known. */
export const interned = (set: FieldSet): FieldSet => {
  if (set.isInterned || set.children.size === 0 || set.children.size > MOST_ELEMENTS) return set;
  const sets = set.isMember ? members : others;
  let step = sets.begin();
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const one = interned(child);
    if (one !== child) (children ??= new Map(set.children)).set(element, one);
    step = sets.step(sets.step(step, element), one);
  }
  if (step.thing) return step.thing;
  step.thing = children ? FieldSet.of(set.isMember, children) : set;
  step.thing.isInterned = true;
  return step.thing;
};
