/** Programs of simulated containers that ask the kernel: `sysctl`, and `ip link add`, which only who is privileged may do. */
import type { Process } from '../../engine/process.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { notModelled } from './text-programs.ts';

const USAGE_EXIT = 2;

/** `sysctl [-n] name…`: only what the pod sets itself is known. */
export function* sysctl(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const [isBare, names] = words[0] === '-n' ? [true, words.slice(1)] : [false, words];
  const known = place.container.kernel?.sysctls;
  const lines: string[] = [];
  for (const name of names) {
    const value = known?.get(name.replaceAll('/', '.'));
    if (value === undefined) return yield* notModelled(`sysctl ${name}`, streams, place);
    lines.push(isBare ? `${value}\n` : `${name} = ${value}\n`);
  }
  if (names.length === 0) return yield* notModelled('sysctl of everything', streams, place);
  streams.write(lines.join(''));
  return 0;
}

/** `ip link add name type kind`: nothing is seen of the link. */
export function* ip(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  if (words[0] !== 'link' || words[1] !== 'add')
    return yield* notModelled(`ip ${words.slice(0, 2).join(' ')}`, streams, place);
  if (place.container.kernel?.mayChangeNetwork === true) return 0;
  streams.writeError('ip: RTNETLINK answers: Operation not permitted\n');
  return USAGE_EXIT;
}
