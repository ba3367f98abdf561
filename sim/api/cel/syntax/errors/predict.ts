/**
 * Which way to go where one token does not tell: all ways are followed at once until one is left. What comes after the
 * rule itself is taken from all places that use it, as the generated parser does at first.
 */
import type { State } from './grammar.ts';

interface Way {
  readonly state: State;
  /** States to return to. */
  readonly stack: Stack | undefined;
  readonly choice: number;
  /** It has left the rule that asks. */
  readonly isOutside: boolean;
}

interface Stack {
  readonly to: State;
  readonly below: Stack | undefined;
}

/** Index of the way, or of the token at which none is left. */
export type Prediction = { readonly choice: number } | { readonly failedAt: number };

const FURTHEST = 1_000;

/** `ways`: where each choice begins; `tokenAt`: number of the token so far ahead. */
export function predict(
  ways: readonly State[],
  precedence: number,
  tokenAt: (ahead: number) => number,
): Prediction {
  const begin = ways.map((state, choice) => ({ state, stack: undefined, choice, isOutside: false }));
  let current = withoutDetours(closure(begin, precedence));
  for (let ahead = 0; ahead < FURTHEST; ahead++) {
    const token = tokenAt(ahead);
    const moved = current.flatMap(({ state, stack, choice, isOutside }) =>
      state.transitions.flatMap((transition) =>
        transition.kind === 'token' && transition.tokens.has(token)
          ? [{ state: transition.to, stack, choice, isOutside }]
          : [],
      ),
    );
    if (moved.length === 0) return failed(current, ahead);
    const choices = new Set(moved.map(({ choice }) => choice));
    const [only = 0] = choices;
    if (choices.size === 1 || token === 0) return { choice: Math.min(only, ...choices) };
    current = closure(moved, undefined);
  }
  return { choice: Math.min(...current.map(({ choice }) => choice)) };
}

/** A way that had come to the end of its rule is good enough. */
function failed(before: readonly Way[], ahead: number): Prediction {
  const finished = before.filter(({ state, isOutside }) => isOutside || state.ends !== undefined);
  return finished.length > 0
    ? { choice: Math.min(...finished.map(({ choice }) => choice)) }
    : { failedAt: ahead };
}

/** Leaving a rule that is used within itself only to go on with it is the same as going on at once. */
function withoutDetours(ways: readonly Way[]): readonly Way[] {
  const placeOf = ({ state, stack }: Way): string => `${state.id}|${stackText(stack)}`;
  const first = new Set(ways.filter(({ choice }) => choice === 0).map(placeOf));
  return ways.filter((way) => way.choice === 0 || !way.isOutside || !first.has(placeOf(way)));
}

/** `precedence`: of the rule that asks; undefined once something has been read. */
function closure(ways: readonly Way[], precedence: number | undefined): readonly Way[] {
  const found: Way[] = [];
  const seen = new Set<string>();
  const visit = (way: Way, isOwn: boolean): void => {
    const { state, stack, choice, isOutside } = way;
    const key = `${choice}|${state.id}|${isOwn ? 'o' : ''}${isOutside ? 'x' : ''}${stackText(stack)}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (state.ends) {
      if (stack) visit({ state: stack.to, stack: stack.below, choice, isOutside }, isOwn);
      else {
        found.push(way);
        for (const to of state.ends.followers)
          visit({ state: to, stack: undefined, choice, isOutside: true }, false);
      }
      return;
    }
    let isRead = false;
    for (const transition of state.transitions) {
      switch (transition.kind) {
        case 'token':
          isRead = true;
          break;
        case 'epsilon':
          visit({ state: transition.to, stack, choice, isOutside }, isOwn);
          break;
        case 'precedence':
          if (!isOwn || stack || precedence === undefined || transition.least >= precedence)
            visit({ state: transition.to, stack, choice, isOutside }, isOwn);
          break;
        case 'rule': {
          const pushed = { to: transition.to, below: stack };
          visit({ state: transition.rule.start, stack: pushed, choice, isOutside }, isOwn);
        }
      }
    }
    if (isRead) found.push(way);
  };
  for (const way of ways) visit(way, precedence !== undefined);
  return found;
}

const stackText = (stack: Stack | undefined): string =>
  stack ? `${stack.to.id},${stackText(stack.below)}` : '';
