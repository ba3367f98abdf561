/** `curl` and `wget` of containers, as far as one looks with them who answers. Their words are those of curl and of BusyBox. */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { type NetworkOutcome, targetOf } from '../network/container-network.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { fileAt, writeFile } from './file-programs.ts';

const USUAL_TIMEOUT_MS = 130_000;
const HTTP_PORT = 80;
const URL_FORM = /^(?:http:\/\/)?(\[[^\]]+\]|[^/:?#]+)(?::([0-9]+))?([^#]*)/;

interface Asked {
  readonly url: string;
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
}

/** Flags that have a value. */
const CURL_VALUES = [
  '-m',
  '--max-time',
  '--connect-timeout',
  '-o',
  '--output',
  '-w',
  '--write-out',
  '-X',
  '--request',
  '-H',
  '--header',
  '-d',
  '--data',
];
const WGET_VALUES = ['-T', '--timeout', '-O', '-t', '--post-data', '--header'];

export function* curl(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const { url, flags, values } = askedOf(words, CURL_VALUES);
  if (url === '') {
    streams.writeError("curl: try 'curl --help' or 'curl --manual' for more information\n");
    return 2;
  }
  const isQuiet = flags.has('s') && !flags.has('S');
  const fail = (code: number, message: string): number => {
    if (!isQuiet) streams.writeError(`curl: (${code}) ${message}\n`);
    return code;
  };
  const timeoutMs = secondsIn(values, '-m', '--max-time', '--connect-timeout') ?? USUAL_TIMEOUT_MS;
  const data = values.get('-d') ?? values.get('--data');
  const method =
    values.get('-X') ??
    values.get('--request') ??
    (flags.has('I') ? 'HEAD' : data === undefined ? 'GET' : 'POST');
  const { host, port, outcome } = yield* fetched(place, { url, method, timeoutMs, body: data });
  const format = (values.get('-w') ?? values.get('--write-out') ?? '').replaceAll('\\n', '\n');
  const write = (code: string): void => streams.write(format.replaceAll('%{http_code}', code));
  if (outcome.kind !== 'answer') {
    write('000');
    if (outcome.kind === 'unknown host') return fail(6, `Could not resolve host: ${host}`);
    if (outcome.kind === 'timeout') return fail(28, `Connection timed out after ${timeoutMs} milliseconds`);
    return fail(7, `Failed to connect to ${host} port ${port} after 0 ms: Connection refused`);
  }
  const { status, body } = outcome;
  if (flags.has('f') && status >= 400) return fail(22, `The requested URL returned error: ${status}`);
  const isKept = (values.get('-o') ?? values.get('--output')) === undefined;
  if (isKept && method !== 'HEAD') streams.write(body);
  write(String(status));
  return 0;
}

export function* wget(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const { url, values } = askedOf(words, WGET_VALUES);
  const body = values.get('--post-data');
  const timeoutMs = secondsIn(values, '-T', '--timeout') ?? USUAL_TIMEOUT_MS;
  const { host, port, outcome } = yield* fetched(place, {
    url,
    method: body === undefined ? 'GET' : 'POST',
    timeoutMs,
    body,
  });
  const fail = (message: string): number => {
    streams.writeError(`wget: ${message}\n`);
    return 1;
  };
  if (outcome.kind === 'unknown host')
    return fail(`bad address '${host}${port === HTTP_PORT ? '' : `:${port}`}'`);
  if (outcome.kind === 'timeout') return fail('download timed out');
  if (outcome.kind === 'refused') return fail(`can't connect to remote host (${host}): Connection refused`);
  if (outcome.status >= 400) return fail(`server returned error: HTTP/1.1 ${outcome.status}`);
  if (words.includes('--spider')) return 0;
  const target = values.get('-O') ?? lastPart(url);
  if (target === '-') streams.write(outcome.body);
  else if (!values.has('-O') && fileAt(place, target)) return fail(`can't open '${target}': File exists`);
  else {
    const problem = writeFile(place, target, new TextEncoder().encode(outcome.body));
    if (problem !== undefined) return fail(`can't open '${target}': ${problem}`);
  }
  return 0;
}

/** What is no JSON stays a text. */
function objectIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The file that a page is kept in. */
const lastPart = (url: string): string => {
  const [path = ''] = (URL_FORM.exec(url)?.[3] ?? '').split('?', 1);
  return path.slice(path.lastIndexOf('/') + 1) || 'index.html';
};

/** Short flags may be one word, and have their value in it: `-qO-`, `-T5`. */
function askedOf(words: readonly string[], valued: readonly string[]): Asked {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  let url = '';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) url = word;
    else if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const name = equals < 0 ? word : word.slice(0, equals);
      if (equals >= 0) values.set(name, word.slice(equals + 1));
      else if (valued.includes(name)) values.set(name, words[++at] ?? '');
    } else
      for (let index = 1; index < word.length; index++) {
        const flag = word.charAt(index);
        flags.add(flag);
        if (!valued.includes(`-${flag}`)) continue;
        const rest = word.slice(index + 1);
        values.set(`-${flag}`, rest === '' ? (words[++at] ?? '') : rest);
        break;
      }
  }
  return { url, flags, values };
}

function secondsIn(values: ReadonlyMap<string, string>, ...names: readonly string[]): number | undefined {
  const text = names.map((name) => values.get(name)).find((value) => value !== undefined);
  const seconds = Number(text ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}

interface Fetched {
  readonly url: string;
  readonly method: string;
  readonly timeoutMs: number;
  /** Absent: none is sent. */
  readonly body?: string | undefined;
}

function* fetched(
  { network, container, context, own }: CommandPlace,
  { url, method, timeoutMs, body }: Fetched,
): Process<{ readonly host: string; readonly port: number; readonly outcome: NetworkOutcome }> {
  const [, named = '', portText, target = ''] = URL_FORM.exec(url) ?? [];
  const host = named.replace(/^\[(.*)\]$/, '$1');
  const port = portText === undefined ? HTTP_PORT : Number(portText);
  if (!network || host === '' || url.startsWith('https:'))
    return { host, port, outcome: { kind: host === '' ? 'unknown host' : 'refused' } };
  if (own && own.requestsLeft-- <= 0) return yield* own.park();
  const timeout = milliseconds(Math.ceil(timeoutMs));
  const request = {
    host,
    port,
    method,
    ...targetOf(target),
    ...(body !== undefined && { body: objectIn(body) }),
    namespace: container.podNamespace,
    from: container.podIP,
    timeout,
  };
  const first = yield* context.race([network.fetch(request), context.sleep(timeout)]);
  return { host, port, outcome: first.index === 0 ? first.value : { kind: 'timeout' } };
}
