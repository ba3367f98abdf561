/**
 * What no two servers agree on. Some refusals of a change end in a dump of how two Go structs differ, whose spaces are
 * drawn anew by every server process: such texts count up to the dump. As manager of what it writes itself a server names
 * the file of its program, whatever that is called.
 */
import type { Recorded } from '../../../model/golden/replay/golden-case.ts';

const OWN_MANAGER = 'kube-apiserver';
const OF_PROGRAM = /^kube-apiserver[-._]/;
/** An object that a message shows. */
const IN_TEXT = /(\\"manager\\":\\")kube-apiserver[-._][^"\\]*/g;
const DUMP = /\n[\u00a0 ]{2,}&?[a-z]+\.[A-Z]/;

/** Both answers, with the texts cut where the real one has a dump. */
export function withoutDumps(
  real: Recorded | undefined,
  simulated: Recorded | undefined,
): readonly [Recorded | undefined, Recorded | undefined] {
  if (real?.body === undefined || simulated?.body === undefined) return [real, simulated];
  const [left, right] = cutPair(real.body, simulated.body);
  return [
    { ...real, body: left },
    { ...simulated, body: right },
  ];
}

function cutPair(real: unknown, simulated: unknown): readonly [unknown, unknown] {
  if (typeof real === 'string' && typeof simulated === 'string') {
    const named = real.replace(IN_TEXT, `$1${OWN_MANAGER}`);
    const at = named.search(DUMP);
    return at === -1 ? [named, simulated] : [named.slice(0, at), simulated.slice(0, at)];
  }
  if (typeof real !== 'object' || typeof simulated !== 'object' || !real || !simulated)
    return [real, simulated];
  const others = simulated as Readonly<Record<string, unknown>>;
  const [left, right] = Array.isArray(real)
    ? [[...(real as unknown[])], [...(others as unknown as unknown[])]]
    : [{ ...real }, { ...others }];
  for (const [name, value] of Object.entries(real) as [string, unknown][]) {
    if (!(name in others)) continue;
    const isOwn = name === 'manager' && others[name] === OWN_MANAGER && OF_PROGRAM.test(String(value));
    const [cut, other] = isOwn ? [OWN_MANAGER, OWN_MANAGER] : cutPair(value, others[name]);
    Reflect.set(left, name, cut);
    Reflect.set(right, name, other);
  }
  return [left, right];
}
