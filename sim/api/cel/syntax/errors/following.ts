/** Which tokens may come next from a state of the grammar. */
import type { Rule, State } from './grammar.ts';

/** Stands for the end of the rule. */
export const END_OF_RULE = -2;
const END = 0;

/** Where a rule was used: the state after it, and the use around. */
export interface Use {
  readonly rule: Rule;
  /** Undefined: nobody used it, it is the whole. */
  readonly after: State | undefined;
  readonly precedence: number;
  readonly around: Use | undefined;
}

const known = new Map<State, ReadonlySet<number>>();

/** Within the rule alone. */
export function nextTokens(state: State): ReadonlySet<number> {
  const before = known.get(state);
  if (before) return before;
  const found = new Set<number>();
  visit(state, found, new Set());
  known.set(state, found);
  return found;
}

function visit(state: State, found: Set<number>, seen: Set<State>): void {
  if (seen.has(state)) return;
  seen.add(state);
  if (state.ends) {
    found.add(END_OF_RULE);
    return;
  }
  for (const transition of state.transitions) {
    if (transition.kind === 'token') for (const token of transition.tokens) found.add(token);
    else if (transition.kind !== 'rule') visit(transition.to, found, seen);
    else {
      const inner = nextTokens(transition.rule.start);
      for (const token of inner) if (token !== END_OF_RULE) found.add(token);
      if (inner.has(END_OF_RULE)) visit(transition.to, found, seen);
    }
  }
}

/** Also after the rules around. */
export function expectedTokens(state: State, use: Use): ReadonlySet<number> {
  const expected = new Set<number>();
  let next = nextTokens(state);
  for (let at: Use | undefined = use; ; at = at.around) {
    for (const token of next) if (token !== END_OF_RULE) expected.add(token);
    if (!next.has(END_OF_RULE)) return expected;
    if (!at?.after) break;
    next = nextTokens(at.after);
  }
  expected.add(END);
  return expected;
}

/** Tokens at which some rule around can go on. */
export function recoveryTokens(use: Use): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at: Use | undefined = use; at?.after; at = at.around)
    for (const token of nextTokens(at.after)) if (token !== END_OF_RULE) found.add(token);
  return found;
}
