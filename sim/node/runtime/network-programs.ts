/** `nc` and `nslookup` of containers: who listens, and which address a name has. Their words are those of BusyBox. */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';

const USUAL_TIMEOUT_MS = 130_000;
const DNS = '10.96.0.10';
const USAGE_EXIT = 1;

/** `nc [-zv] [-w seconds] host port`: whether somebody listens there. */
export function* nc(
  words: readonly string[],
  streams: CommandStreams,
  { network, context, container, own }: CommandPlace,
): Process<number> {
  const at = words.findIndex((word) => /^-[a-z]*w$/.test(word));
  const attached = words.map((word) => /^-w(\d+)$/.exec(word)?.[1]).find((text) => text !== undefined);
  const seconds = Number(attached ?? (at < 0 ? Number.NaN : words[at + 1]));
  const [host = '', portText = ''] = words.filter(
    (word, index) => !word.startsWith('-') && (at < 0 || index !== at + 1),
  );
  const port = Number(portText);
  if (host === '' || !Number.isInteger(port) || port <= 0) {
    streams.writeError('nc: bad port\n');
    return USAGE_EXIT;
  }
  if (own && own.requestsLeft-- <= 0) return yield* own.park();
  const timeout = milliseconds(Number.isFinite(seconds) ? seconds * 1_000 : USUAL_TIMEOUT_MS);
  const request = { host, port, method: 'GET', path: '/', namespace: container.podNamespace, timeout };
  const first = network && (yield* context.race([network.fetch(request), context.sleep(timeout)]));
  const kind = first?.index === 0 ? first.value.kind : first ? 'timeout' : 'refused';
  const isTold = words.some((word) => /^-[a-z]*v/.test(word));
  if (kind === 'answer') {
    if (isTold) streams.writeError(`${host} (${host}:${port}) open\n`);
    return 0;
  }
  if (kind === 'unknown host') streams.writeError(`nc: bad address '${host}'\n`);
  else if (kind === 'timeout') streams.writeError(`nc: ${host} (${host}:${port}): Connection timed out\n`);
  else streams.writeError(`nc: ${host} (${host}:${port}): Connection refused\n`);
  return 1;
}

/** `nslookup name`. */
export function* nslookup(
  words: readonly string[],
  streams: CommandStreams,
  { network, container, own }: CommandPlace,
): Process<number> {
  const [name = ''] = words.filter((word) => !word.startsWith('-'));
  if (own && own.requestsLeft-- <= 0) return yield* own.park();
  const found = network && (yield* network.resolve(name.replace(/\.$/, ''), container.podNamespace));
  streams.write(`Server:\t\t${DNS}\nAddress:\t${DNS}:53\n\n`);
  if (!found) {
    streams.write(`** server can't find ${name}: NXDOMAIN\n\n`);
    return 1;
  }
  for (const address of found.addresses) streams.write(`Name:\t${found.name}\nAddress: ${address}\n`);
  streams.write('\n');
  return 0;
}
