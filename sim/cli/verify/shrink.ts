/** Makes a case smaller as long as it still shows the rule that it was found by. */
import type { GoldenCase, RequestStep, Step } from '../../../model/golden/replay/golden-case.ts';

/** `shows`: whether the smaller case still does; called `budget` times at most. */
export function shrink(
  golden: GoldenCase,
  shows: (smaller: GoldenCase) => boolean,
  budget: number,
): GoldenCase {
  let smallest = golden;
  let left = budget;
  for (let hasShrunk = true; hasShrunk && left > 0;) {
    hasShrunk = false;
    for (const smaller of candidatesOf(smallest)) {
      if (left <= 0) break;
      left -= 1;
      if (!shows(smaller)) continue;
      smallest = smaller;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

/** Without one of its steps, or one member of a body; the largest parts first. */
function* candidatesOf(golden: GoldenCase): Generator<GoldenCase> {
  const { steps } = golden;
  if (steps.length > 1) {
    for (let at = steps.length - 1; at >= 0; at -= 1) yield { ...golden, steps: steps.toSpliced(at, 1) };
  }
  for (const [at, step] of steps.entries()) {
    const { request } = step;
    if (request?.body === undefined) continue;
    for (const body of withoutOneMember(request.body, 0)) {
      const smaller: RequestStep = { ...request, body };
      const changed: Step = { ...step, request: smaller };
      yield { ...golden, steps: steps.with(at, changed) };
    }
  }
}

const MAX_DEPTH = 8;
const KEPT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'name']);

function* withoutOneMember(value: unknown, depth: number): Generator {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (let at = value.length - 1; at >= 0; at -= 1) yield value.toSpliced(at, 1);
    for (const [at, item] of value.entries())
      for (const smaller of withoutOneMember(item, depth + 1)) yield value.with(at, smaller);
    return;
  }
  const members = Object.entries(value) as [string, unknown][];
  for (const [name] of members) {
    if (KEPT.has(name) && depth < 2) continue;
    yield Object.fromEntries(members.filter(([other]) => other !== name));
  }
  for (const [name, member] of members)
    for (const smaller of withoutOneMember(member, depth + 1)) yield { ...value, [name]: smaller };
}
