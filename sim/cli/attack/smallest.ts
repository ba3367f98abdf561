/** Makes smaller what does harm: fewer requests, and less of the one that does it. */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import { harmOf } from './harm.ts';

type Kind = 'defect' | 'hang';

/** Pieces of a body that are smaller say nothing. */
const LEAST_BYTES = 4;

/** The last one does the harm, the others make it possible. Undefined: it does not happen a second time. */
export function smallestCalls(before: readonly Call[], last: Call, kind: Kind): readonly Call[] | undefined {
  const doesHarm = (calls: readonly Call[]): boolean => harmOf(calls)?.kind === kind;
  if (doesHarm([last])) return [smallestCall(last, kind, (call) => doesHarm([call]))];
  if (!doesHarm([...before, last])) return undefined;
  const needed = withoutPieces(before, 1, (fewer) => doesHarm([...fewer, last]));
  return [...needed, smallestCall(last, kind, (call) => doesHarm([...needed, call]))];
}

/** Leaves out whatever the harm does without: headers, parameters, and ever smaller pieces of the body. */
function smallestCall(call: Call, kind: Kind, doesHarm: (candidate: Call) => boolean): Call {
  let least = call;
  for (const name of Object.keys(call.headers)) {
    const { [name]: _left, ...headers } = least.headers;
    if (doesHarm({ ...least, headers })) least = { ...least, headers };
  }
  const [path = '', query] = least.path.split('?', 2);
  if (query !== undefined && doesHarm({ ...least, path })) least = { ...least, path };
  const bytes = [...(least.body ?? [])];
  if (kind === 'hang' || bytes.length === 0) return least;
  const body = withoutPieces(bytes, LEAST_BYTES, (rest) => doesHarm({ ...least, body: Buffer.from(rest) }));
  const { body: _body, ...bare } = least;
  return body.length === 0 ? bare : { ...bare, body: Buffer.from(body) };
}

/** Without every run of items that `isEnough` does without, the longest runs first. */
function withoutPieces<T>(
  items: readonly T[],
  least: number,
  isEnough: (rest: readonly T[]) => boolean,
): readonly T[] {
  let left = items;
  for (let size = Math.ceil(items.length / 2); size >= least; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length;) {
      const rest = [...left.slice(0, at), ...left.slice(at + size)];
      if (isEnough(rest)) left = rest;
      else at += size;
    }
  }
  return left;
}
