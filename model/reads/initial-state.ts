/**
 * Of which revision is the state with which a watch began? The newest is looked for at which the first of the events show
 * just what there was, each object as it was then, and the rest of them came later.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { type ExpectedItem, type Interest, isInScope, isSelected } from '../history.ts';
import { showsSame } from './shown.ts';
import type { TrueHistory } from './true-history.ts';

export type InitialState = {
  readonly revision: number;
  /** How many of the events are the state. */
  readonly count: number;
} & ({ readonly kind: 'found' } | { readonly kind: 'none'; readonly message: string });

/** Goes back from `latest` through what was true, one change at a time. */
export function initialState(
  history: TrueHistory,
  interest: Interest,
  told: readonly ExpectedItem[],
  latest: number,
): InitialState {
  const changes = history.of(interest);
  const state = history.stateAt(interest, latest);
  let revision = latest;
  for (let index = history.firstAfter(interest, latest) - 1; ; index--) {
    const change = changes[index];
    // Amid a transaction there is no state.
    const isWhole = change?.revision !== revision + 1;
    if (isWhole && isShown(state, told, revision)) return { kind: 'found', revision, count: state.size };
    if (!change) return none(history, interest, told, latest);
    revision = change.revision - 1;
    if (!isInScope(interest, change.key)) continue;
    if (isSelected(interest, change.before)) state.set(change.key, change.before);
    else state.delete(change.key);
  }
}

function isShown(
  state: ReadonlyMap<string, ApiObject>,
  told: readonly ExpectedItem[],
  revision: number,
): boolean {
  if (state.size > told.length) return false;
  return told.every(({ key, object, revision: own }, index) => {
    if (index >= state.size) return own > revision;
    const written = state.get(key);
    return written !== undefined && showsSame(object, written);
  });
}

/** What is wrong with it, seen from the newest state that it can be. */
function none(
  history: TrueHistory,
  interest: Interest,
  told: readonly ExpectedItem[],
  latest: number,
): InitialState {
  const state = history.stateAt(interest, latest);
  const keys = new Set(told.map(({ key }) => key));
  const missing = [...state.keys()].filter((key) => !keys.has(key));
  const wrong = told.filter(({ key, object }) => {
    const written = state.get(key);
    return !written || !showsSame(object, written);
  });
  const detail = [
    ...missing.map((key) => `lacks ${key}`),
    ...wrong.map(({ key }) => `shows ${key} otherwise`),
  ];
  const message = `its first events are no state that there ever was; against that of ${latest} it ${detail.slice(0, 3).join(', ')}`;
  return { kind: 'none', message, revision: latest, count: told.length };
}
