/**
 * The servers of Kubernetes' test image that answer with what they know of themselves: `netexec`, `test-webserver`,
 * `liveness`, `nettest`, `porter`, `serve-hostname`; `grpc-health-checking` just listens. What somebody asks may be seen in
 * the log of the container, and end it. Of `netexec` uploads, headers and addresses of clients are not modelled.
 * Kubernetes 1.31: test/images/agnhost.
 */
import type { Container } from '../../../api/types/core-v1.ts';
import type { Process } from '../../../engine/process.ts';
import { agnhostWords, valueOfFlag } from './agnhost-image.ts';

export interface ServerRequest {
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
  /** Default: GET. */
  readonly method?: string;
  /** Decoded; of UDP what was sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ServerAnswer {
  /** Of UDP it means nothing. */
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
  /** A line of the container's log. */
  readonly log?: string;
  /** The container ends so, after its answer. */
  readonly exitCode?: number;
}

/** What a server does on behalf of who asks. */
export interface ServerReach {
  /** How long the container has run. */
  readonly ranSeconds: number;
  /** What a file in the container has; undefined: there is none. */
  file(path: string): string | undefined;
  /** Undefined: nobody answers. */
  ask(request: ServerRequest & { readonly host: string }): Process<ServerAnswer | undefined>;
  /** Runs a command in the container of the server. */
  run(words: readonly string[]): Process<{ readonly output: string; readonly exitCode: number }>;
}

type Answering = ServerAnswer | Process<ServerAnswer>;

export interface TestServer {
  /** What it writes when it starts. */
  readonly greeting: readonly string[];
  listensOn(protocol: ServerRequest['protocol'], port: number): boolean;
  answer(request: ServerRequest, reach: ServerReach): Answering;
  /** Which status a page has for a probe, which leaves no mark. Absent: all are well. */
  check?(path: string, ranSeconds: number): number;
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const NOT_FOUND: ServerAnswer = { status: 404, body: '404 page not found\n', contentType: PLAIN_TEXT };

const plain = (body: string, status = 200): ServerAnswer => ({ status, body, contentType: PLAIN_TEXT });
const json = (value: unknown): ServerAnswer => ({
  status: 200,
  body: JSON.stringify(value),
  contentType: 'application/json',
});

/** `environment`: `NAME=value`. Undefined: it is none of them. */
export function testServerOf(
  container: Container,
  podName: string,
  environment: readonly string[],
): TestServer | undefined {
  const [program, ...flags] = agnhostWords(container) ?? [];
  const port = (name: string, usual: number): number => portOf(valueOfFlag(flags, name)) ?? usual;
  switch (program) {
    case 'netexec':
      return new NetExec(podName, port('--http-port', 8_080), port('--udp-port', 8_081));
    case 'serve-hostname':
      return pages(port('--port', 9_376), () => plain(podName));
    case 'test-webserver':
      return pages(port('--port', 80), ({ path }, reach) => fileOf(path, reach));
    case 'liveness':
      return {
        ...pages(8_080, ({ path }, { ranSeconds }) => liveness(path, ranSeconds)),
        check: (path, ranSeconds) => liveness(path, ranSeconds).status,
      };
    case 'grpc-health-checking':
      return pages(port('--port', 5_000), () => NOT_FOUND);
    case 'nettest':
      return new NetTest(podName, port('--port', 8_080));
    case 'porter':
      return porter(environment, flags.includes('--json-response'));
    default:
      return undefined;
  }
}

const portOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

const pages = (port: number, answer: TestServer['answer']): TestServer => ({
  greeting: [],
  listensOn: (protocol, asked) => protocol === 'TCP' && asked === port,
  answer,
});

function fileOf(path: string, reach: ServerReach): ServerAnswer {
  if (path === '/') return { ...plain('<pre>\n</pre>\n'), contentType: 'text/html; charset=utf-8' };
  const text = reach.file(path);
  return text === undefined ? NOT_FOUND : plain(text);
}

const HEALTHY_SECONDS = 10;

/** It is well for a while. */
function liveness(path: string, ranSeconds: number): ServerAnswer {
  if (path === '/started') return plain(`${ranSeconds}s`);
  if (path !== '/healthz') return NOT_FOUND;
  return ranSeconds > HEALTHY_SECONDS ? plain(`error: ${ranSeconds}`, 500) : plain('ok');
}

/** What Go takes for HTML. */
const PAGE =
  /^\s*<(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]/i;

/** Says on each port what the environment says of it; `isJson`: and how it was asked. */
function porter(environment: readonly string[], isJson: boolean): TestServer {
  const said = new Map(
    environment.flatMap((line) => {
      const [, port, text = ''] = /^SERVE_(?:TLS_)?PORT_(\d+)=(.*)$/s.exec(line) ?? [];
      return port === undefined ? [] : [[Number(port), text] as const];
    }),
  );
  return {
    greeting: [],
    listensOn: (protocol, port) => protocol === 'TCP' && said.has(port),
    answer({ port, method = 'GET' }) {
      const text = said.get(port) ?? '';
      if (isJson) return json({ Method: method, Body: text });
      return PAGE.test(text) ? { ...plain(text), contentType: 'text/html; charset=utf-8' } : plain(text);
    },
  };
}

class NetExec implements TestServer {
  readonly greeting: readonly string[];
  readonly #podName: string;
  readonly #httpPort: number;
  readonly #udpPort: number;

  constructor(podName: string, httpPort: number, udpPort: number) {
    this.#podName = podName;
    this.#httpPort = httpPort;
    this.#udpPort = udpPort;
    this.greeting = [`Started HTTP server on port ${httpPort}`, `Started UDP server on port  ${udpPort}`];
  }

  listensOn(protocol: ServerRequest['protocol'], port: number): boolean {
    return port === (protocol === 'TCP' ? this.#httpPort : this.#udpPort);
  }

  answer(request: ServerRequest, reach: ServerReach): Answering {
    if (request.protocol === 'UDP') return this.#datagram(request.path);
    const { path, query } = request;
    const said = (answer: ServerAnswer, words = ''): ServerAnswer => ({
      ...answer,
      log: `GET ${path}${words}`,
    });
    switch (path) {
      case '/':
        return said(plain('NOW: '));
      case '/hostname':
      case '/hostName':
        return said(plain(this.#podName));
      case '/healthz':
        return plain('');
      case '/echo': {
        const { msg = '', code } = query;
        return said(plain(msg, Number(code ?? 200)), `?msg=${msg}`);
      }
      case '/exit': {
        const { code = '0' } = query;
        return { ...said(plain(''), `?code=${code}`), exitCode: Number(code) || 0 };
      }
      case '/shutdown':
        return { ...plain(''), exitCode: 0 };
      case '/dial':
        return dial(query, reach);
      case '/shell':
        return shell(query['cmd'] ?? query['shellCommand'] ?? '', reach);
      default:
        return said(plain('NOW: '));
    }
  }

  #datagram(text: string): ServerAnswer {
    const [, command = '', rest = ''] = /^(\S*)\s?(.*)$/s.exec(text) ?? [];
    const said = command.toLowerCase();
    if (said === 'hostname') return plain(this.#podName);
    return said === 'echo' ? plain(rest.trimEnd()) : plain('');
  }
}

const MOST_TRIES = 100;

/** Asks another one, as often as it is told to. */
function* dial(query: Readonly<Record<string, string>>, reach: ServerReach): Process<ServerAnswer> {
  const { host = '', port = '', protocol = '', request: command = 'hostname', tries = '1' } = query;
  if (portOf(port) === undefined) return plain(`invalid port number: ${port}`, 400);
  if (protocol !== 'http' && protocol !== 'udp')
    return plain(`unsupported protocol. ${protocol === '' ? '' : protocol}`, 400);
  const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(command) ?? [];
  const responses: string[] = [];
  const errors: string[] = [];
  for (let left = Math.min(Number(tries) || 1, MOST_TRIES); left > 0; left--) {
    const isUdp = protocol === 'udp';
    const asked = isUdp ? command : `/${path}`;
    const answer = yield* reach.ask({
      host,
      port: Number(port),
      protocol: isUdp ? 'UDP' : 'TCP',
      path: asked,
      query: isUdp ? {} : Object.fromEntries(new URLSearchParams(search)),
    });
    if (answer) responses.push(answer.body);
    else errors.push(`dial ${protocol === 'udp' ? 'udp' : 'tcp'} ${host}:${port}: i/o timeout`);
  }
  return json({ ...(errors.length > 0 && { errors }), ...(responses.length > 0 && { responses }) });
}

function* shell(command: string, reach: ServerReach): Process<ServerAnswer> {
  const { output, exitCode } = yield* reach.run(['/bin/sh', '-c', command]);
  return json({
    ...(output !== '' && { output }),
    ...(exitCode !== 0 && { error: `exit status ${exitCode}` }),
  });
}

/** Counts who has written to it. */
class NetTest implements TestServer {
  readonly greeting: readonly string[] = [];
  readonly #hostname: string;
  readonly #port: number;
  readonly #received = new Map<string, number>();

  constructor(hostname: string, port: number) {
    this.#hostname = hostname;
    this.#port = port;
  }

  listensOn(protocol: ServerRequest['protocol'], port: number): boolean {
    return protocol === 'TCP' && port === this.#port;
  }

  answer({ path, body }: ServerRequest): ServerAnswer {
    if (path === '/read') return json(this.#state());
    if (path !== '/write') return NOT_FOUND;
    const source = sourceIn(body);
    if (source === undefined) return plain('could not decode the message\n', 400);
    this.#received.set(source, (this.#received.get(source) ?? 0) + 1);
    return json({ Hostname: this.#hostname });
  }

  #state(): object {
    return {
      Hostname: this.#hostname,
      Sent: {},
      Received: Object.fromEntries([...this.#received].sort(([a], [b]) => (a < b ? -1 : 1))),
      Errors: null,
      Log: null,
      StillContactingPeers: true,
    };
  }
}

/** Names are found whatever their case, as Go finds them. */
function sourceIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const found = Object.entries(body).find(([name]) => name.toLowerCase() === 'source')?.[1];
  return found === undefined ? '' : typeof found === 'string' ? found : undefined;
}
