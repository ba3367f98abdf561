/**
 * Sets of field paths that are held once: what objects of one shape have their writers own is the same, there are many
 * of them, and each set keeps its encoded form. Only for speed and memory: equal sets need not be the same.
 */
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** Reached by the elements of a set and what is below each, one after the other. */
interface Step {
  set: FieldSet | undefined;
  readonly next: Map<PathElement | FieldSet, Step>;
}

const MOST_STEPS = 50_000;
/** Of so many elements no other set has just the same. */
const MOST_ELEMENTS = 100;

const root = (): Readonly<Record<'members' | 'others', Step>> => ({
  members: { set: undefined, next: new Map() },
  others: { set: undefined, next: new Map() },
});

let roots = root();
let count = 0;

/** The one set that has these paths, as far as it is known. */
export const interned = (set: FieldSet): FieldSet => {
  if (set.isInterned || set.children.size === 0 || set.children.size > MOST_ELEMENTS) return set;
  if (count > MOST_STEPS) {
    roots = root();
    count = 0;
  }
  let step = set.isMember ? roots.members : roots.others;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const one = interned(child);
    if (one !== child) (children ??= new Map(set.children)).set(element, one);
    step = stepFrom(stepFrom(step, element), one);
  }
  if (step.set) return step.set;
  step.set = children ? FieldSet.of(set.isMember, children) : set;
  step.set.isInterned = true;
  return step.set;
};

const stepFrom = (from: Step, by: PathElement | FieldSet): Step => {
  const known = from.next.get(by);
  if (known) return known;
  count++;
  const made: Step = { set: undefined, next: new Map() };
  from.next.set(by, made);
  return made;
};
