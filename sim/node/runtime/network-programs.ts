/** `nc`, `nslookup`, `dig` and `getent` of containers: who listens, and which address a name has. Their words are those of BusyBox. */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { CONNECT } from '../endpoint/pod-port.ts';
import { CLUSTER_DNS_ADDRESS } from '../network/cluster-dns.ts';
import { type NetworkOutcome, targetOf } from '../network/container-network.ts';
import { fileAt } from './file-programs.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';

const USUAL_TIMEOUT_MS = 130_000;
const USAGE_EXIT = 1;

/** `nc [-zuv] [-w seconds] host port`: whether somebody listens there; with `-u` it sends what it reads, and shows what comes back. */
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
  const isUdp = words.some((word) => /^-[a-z]*u/.test(word));
  const isZero = words.some((word) => /^-[a-z]*z/.test(word));
  const typed = isZero ? '' : yield* firstOf(streams);
  const [, method = CONNECT, asked = '/'] = REQUEST_LINE.exec(typed) ?? [];
  const sent = isUdp
    ? { protocol: 'UDP' as const, method: 'GET', path: typed.trimEnd() }
    : { method, ...targetOf(asked) };
  const request = {
    host,
    port,
    ...sent,
    namespace: container.podNamespace,
    from: container.podIP,
    timeout,
  };
  const first = network && (yield* context.race([network.fetch(request), context.sleep(timeout)]));
  const kind = first?.index === 0 ? first.value.kind : first ? 'timeout' : 'refused';
  const isTold = words.some((word) => /^-[a-z]*v/.test(word));
  if (kind === 'answer') {
    if (isTold) streams.writeError(`${host} (${host}:${port}) open\n`);
    if (first?.index === 0 && first.value.kind === 'answer') streams.write(heard(typed, isUdp, first.value));
    return 0;
  }
  if (kind === 'unknown host') streams.writeError(`nc: bad address '${host}'\n`);
  else if (kind === 'timeout') streams.writeError(`nc: ${host} (${host}:${port}): Connection timed out\n`);
  else streams.writeError(`nc: ${host} (${host}:${port}): Connection refused\n`);
  return 1;
}

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]/;
const NO_REQUEST =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request';

/** Who listens on TCP speaks HTTP: to nobody who says nothing, and to others only so. */
function heard(typed: string, isUdp: boolean, { status, body, contentType }: Answered): string {
  if (isUdp || typed === '') return isUdp ? body : '';
  if (!REQUEST_LINE.test(typed)) return NO_REQUEST;
  return `HTTP/1.0 ${status} ${status === 200 ? 'OK' : 'Error'}\r\nContent-Type: ${contentType}\r\n\r\n${body}`;
}

type Answered = Extract<NetworkOutcome, { kind: 'answer' }>;

/** What there is to be read at first: a datagram. */
function* firstOf(streams: CommandStreams): Process<string> {
  const bytes = yield* streams.read();
  return bytes ? new TextDecoder().decode(bytes) : '';
}

/** What may be asked for. */
const RECORD_TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'PTR', 'SRV']);
const TTL_SECONDS = 30;
const WHOLE_NAME = /\.(cluster\.local|arpa)$/;

/**
 * `dig [+short] [+noall +answer] [+search] name [A|AAAA|SRV|CNAME|PTR]`, `dig -x address`: the answers, one a line. Without
 * `+search` a name is a whole one.
 */
export function* dig(
  words: readonly string[],
  streams: CommandStreams,
  { network, container, own }: CommandPlace,
): Process<number> {
  if (own && own.requestsLeft-- <= 0) return yield* own.park();
  const plain = words.filter((word) => !/^[+@]/.test(word) && word !== 'IN');
  const at = plain.indexOf('-x');
  const type = at >= 0 ? 'PTR' : (plain.find((word) => RECORD_TYPES.has(word)) ?? 'A');
  const [named = ''] = plain.filter((word) => !word.startsWith('-') && !RECORD_TYPES.has(word));
  const name = at >= 0 ? reverseName(named) : named.replace(/\.$/, '');
  const isLookedFor = words.includes('+search') || WHOLE_NAME.test(name);
  const found = network && isLookedFor ? yield* network.look(name, type, container.podNamespace) : [];
  const isShort = words.includes('+short');
  for (const { owner, type: own, data } of found)
    streams.write(`${isShort ? '' : `${owner}.\t\t${TTL_SECONDS}\tIN\t${own}\t`}${data}\n`);
  return 0;
}

/** `10.1.2.3` is asked for as `3.2.1.10.in-addr.arpa`. */
const reverseName = (address: string): string => `${address.split('.').toReversed().join('.')}.in-addr.arpa`;

/** `getent hosts name`. */
export function* getent(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const { network, container, own } = place;
  const [database, name = ''] = words;
  if (database !== 'hosts' && database !== 'ahosts') {
    streams.writeError(`Unknown database: ${database ?? ''}\n`);
    return 1;
  }
  if (own && own.requestsLeft-- <= 0) return yield* own.park();
  const lines = new TextDecoder().decode(fileAt(place, '/etc/hosts')).split('\n');
  const local = lines.find((line) => line.split(/\s+/).slice(1).includes(name));
  if (local !== undefined) {
    streams.write(`${local.replace(/\s+/, '  ')}\n`);
    return 0;
  }
  const found = network ? yield* network.look(name.replace(/\.$/, ''), 'A', container.podNamespace) : [];
  // Names of elsewhere lead nowhere.
  const addresses = found.filter(({ type }) => type === 'A');
  for (const { owner, data } of addresses) streams.write(`${data}  ${owner}\n`);
  return addresses.length > 0 ? 0 : 2;
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
  streams.write(`Server:\t\t${CLUSTER_DNS_ADDRESS}\nAddress:\t${CLUSTER_DNS_ADDRESS}:53\n\n`);
  if (!found) {
    streams.write(`** server can't find ${name}: NXDOMAIN\n\n`);
    return 1;
  }
  for (const address of found.addresses) streams.write(`Name:\t${found.name}\nAddress: ${address}\n`);
  streams.write('\n');
  return 0;
}
