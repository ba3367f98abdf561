/**
 * Machines and what runs on them, asked by way of API servers and directly, while agents die and come back, machines begin
 * anew, networks part and containers end: exec, attach, logs, forwarded ports, proxies, and what agents tell of themselves.
 */
import { CHANNEL } from '../../../api/stream-frame.ts';
import {
  type ApiResponse,
  type ChannelStream,
  type PodPorts,
  QueryParameters,
  type ResponseStream,
  type UserInfo,
} from '../../../apiserver/request/request.ts';
import { type AgentRequest, askAgent } from '../../../cluster/agent-user.ts';
import type { Cluster } from '../../../cluster/cluster.ts';
import { createCluster } from '../../../cluster/create-cluster.ts';
import { tryTo } from '../../../cluster/troubled-client.fixture.ts';
import type { Process } from '../../../engine/process.ts';
import { seconds } from '../../../engine/time.ts';
import { responsePieces } from '../../../host/response-pieces.ts';
import type { WorkloadBehaviour } from '../../../node/runtime/workload-behaviour.ts';
import { Random } from '../../verify/generate/random.ts';
import type { Told } from '../told.ts';

const WORLDS = 30;
const ACTS = 24;
const ADMIN: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const NAMES = ['p', 'q', 'r'] as const;
const NODES = ['worker-1', 'worker-2'] as const;
/** What is drawn by chance, and what is told of time. */
const BY_CHANCE = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{64}/g;
const BY_CLOCK = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g;
const OF_DURATIONS = /^.*(?:_bucket|_sum|_seconds|_seconds_total|timestamp|_time\S*?)(?:\{.*\})? .*$/gm;
const LONG_NUMBER = /\d{7,}(?:\.\d+)?|\d+\.\d{3,}/g;

const plain = (text: string): string =>
  text.replace(BY_CHANCE, 'id').replace(BY_CLOCK, 'time').replace(LONG_NUMBER, 'number');

class Machines {
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly said: unknown[] = [];

  constructor(index: number) {
    this.#random = new Random('machines', index);
    this.#cluster = createCluster({ nodes: 2, settled: true, apiServers: 2, seed: index });
    this.#cluster.client.services.create({
      metadata: { name: 's', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
    });
    for (const name of NAMES) this.#make(name);
    this.#pass(6);
  }

  act(): void {
    const random = this.#random;
    const name = random.pick(NAMES);
    const dice = random.below(100);
    if (dice < 18) this.#stream(name, 'exec', execQuery(random), random.pick(TYPED));
    else if (dice < 24)
      this.#stream(name, 'attach', { stdin: 'true', stdout: 'true', stderr: 'true' }, ['a\n']);
    else if (dice < 40) this.#ask(`pods/${name}/log`, logQuery(random));
    else if (dice < 46) this.#forward(name, random.pick(['8080', '9090', '80', 'a']));
    else if (dice < 56) this.#ask(`${random.pick(PROXIED).replace('@', name)}/proxy${random.pick(PATHS)}`);
    else if (dice < 70) this.#agent(random.pick(NODES), random.pick(AGENT_PATHS).replace('@', name));
    else if (dice < 90) this.#trouble(name);
    else this.#pass(random.pick([1, 5, 30, 120]));
  }

  end(): void {
    const { faults } = this.#cluster;
    for (const node of NODES) {
      faults.heal(node);
      if (faults.actor(node).state === 'crashed') faults.restart(faults.actor(node).name);
    }
    this.#pass(120);
    for (const node of NODES)
      for (const path of ['/metrics', '/metrics/resource', '/metrics/probes', '/pods', '/stats/summary'])
        this.#agent(node, path);
    for (const name of NAMES) {
      this.#ask(`pods/${name}`);
      this.#ask(`pods/${name}/log`);
    }
  }

  #make(name: string): void {
    const random = this.#random;
    const annotations = { 'behaviour.kubesim.dev/main': JSON.stringify(behaviourOf(random)) };
    tryTo(() =>
      this.#cluster.client.pods.create({
        metadata: { name, namespace: 'default', labels: { app: 'web' }, annotations },
        spec: {
          terminationGracePeriodSeconds: 2,
          restartPolicy: random.pick(['Always', 'Always', 'OnFailure', 'Never']),
          nodeName: random.pick(NODES),
          containers: [
            {
              name: 'main',
              image: random.pick(['app:1', 'nginx:1', 'busybox:1']),
              env: [{ name: 'COLOUR', value: 'red' }],
              ports: [{ name: 'http', containerPort: 8080 }],
              resources: { limits: { memory: '200Mi' } },
              ...(random.chance(50) && { readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 2 } }),
              ...(random.chance(30) && { stdin: true, stdinOnce: random.chance(50), tty: random.chance(50) }),
              ...(random.chance(25) && { livenessProbe: { exec: { command: ['check'] }, periodSeconds: 5 } }),
            },
          ],
        },
      }),
    );
  }

  #trouble(name: string): void {
    const random = this.#random;
    const node = random.pick(NODES);
    const { faults, client } = this.#cluster;
    const { name: agent, state } = faults.actor(node);
    const machine = this.#cluster.machine(node);
    const what = random.pick([
      'bounce',
      'bounce',
      'reboot',
      'cut',
      'heal',
      'remove',
      'make',
      'runtime',
      'disk',
    ] as const);
    this.said.push(what);
    if (what === 'bounce' || what === 'reboot') {
      if (state !== 'crashed') faults.crash(agent);
      if (what === 'reboot') machine.reboot();
      faults.restart(agent);
    } else if (what === 'cut') faults.partition(agent);
    else if (what === 'heal') faults.heal(agent);
    else if (what === 'remove')
      tryTo(() => client.pods.delete(name, { gracePeriodSeconds: random.pick([0, 1]) }));
    else if (what === 'make') this.#make(name);
    else if (what === 'runtime') machine[random.chance(50) ? 'stopRuntime' : 'startRuntime']();
    else machine[random.chance(50) ? 'fillDisk' : 'freeDisk']();
    this.#pass(random.pick([0, 1, 4]));
  }

  #pass(span: number): void {
    if (span > 0) this.#cluster.advance(seconds(span));
  }

  #agent(node: string, path: string): void {
    const [plainPath = '', query = ''] = path.split('?');
    const asked = Object.fromEntries(new URLSearchParams(query));
    const method = plainPath.startsWith('/run/') ? 'POST' : 'GET';
    const who = this.#random.pick(ASKING);
    const answer = askAgent(this.#cluster, node, { method, path: plainPath, query: asked, ...who });
    const body = answer?.body;
    const text = typeof body === 'string' ? body.replace(OF_DURATIONS, '') : JSON.stringify(body);
    this.said.push([path, who, answer?.status, plain(text ?? '')]);
  }

  #ask(path: string, query: Readonly<Record<string, string>> = {}): void {
    const { status, body } = this.#handled('GET', path, query);
    const text =
      body.kind === 'stream' ? this.#read(body.stream) : Buffer.concat(responsePieces(body)).toString();
    this.said.push([path, query, status, plain(text)]);
  }

  #stream(name: string, how: 'exec' | 'attach', query: Query, typed: readonly string[]): void {
    const { status, body } = this.#handled('GET', `pods/${name}/${how}`, query);
    const heard =
      body.kind === 'channels'
        ? this.#talk(body.channels, typed)
        : Buffer.concat(responsePieces(body)).toString();
    this.said.push([how, query, status, plain(heard)]);
  }

  #forward(name: string, port: string): void {
    const { status, body } = this.#handled('GET', `pods/${name}/portforward`, { ports: port });
    const told =
      body.kind === 'ports' ? this.#called(body.ports, port) : Buffer.concat(responsePieces(body)).toString();
    this.said.push(['portforward', status, plain(told)]);
  }

  #called(ports: PodPorts, port: string): string {
    const outcomes: unknown[] = [];
    for (const path of ['/', '/hello'])
      ports.ask({ port, method: 'GET', path }, (outcome) => outcomes.push(outcome));
    this.#pass(35);
    ports.close();
    return JSON.stringify(outcomes);
  }

  #talk(channels: ChannelStream, typed: readonly string[]): string {
    const heard: string[] = [];
    const drain = (): void => {
      for (let frame = channels.read(); frame; frame = channels.read())
        heard.push(`${frame.channel}:${frame.bytes ? Buffer.from(frame.bytes).toString('latin1') : 'end'}`);
    };
    channels.subscribe(drain);
    for (const text of typed) channels.take({ channel: CHANNEL.stdin, bytes: Buffer.from(text) });
    channels.take({ channel: CHANNEL.stdin, bytes: undefined });
    this.#pass(this.#random.pick([1, 8]));
    drain();
    heard.push(channels.ended ? 'ended' : 'goes on');
    channels.close();
    return heard.join('\n');
  }

  #read(stream: ResponseStream): string {
    const pieces: Buffer[] = [];
    const drain = (): void => {
      for (let piece = stream.read(); piece !== undefined; piece = stream.read())
        pieces.push(Buffer.from(piece instanceof Uint8Array ? piece : JSON.stringify(piece)));
    };
    stream.subscribe(drain);
    drain();
    this.#pass(3);
    drain();
    pieces.push(Buffer.from(stream.ended ? ' ended' : ' goes on'));
    stream.close();
    return Buffer.concat(pieces).toString();
  }

  /** By one of the servers, until it has answered. */
  #handled(method: string, path: string, query: Query): ApiResponse {
    const [first, second] = this.#cluster.apiServers;
    const { actor, server } = (this.#random.chance(50) ? first : second) ?? {};
    const request = {
      method,
      path: path.startsWith('nodes/') ? `/api/v1/${path}` : `/api/v1/namespaces/default/${path}`,
      query: new QueryParameters(new Map(Object.entries(query).map(([name, of]) => [name, [of].flat()]))),
      headers: { host: 'a', connection: 'upgrade', upgrade: 'websocket' },
      user: ADMIN,
      wire: true,
    };
    let response: ApiResponse | undefined;
    actor?.spawn('request', function* (): Process<void> {
      response = yield* server?.handle(request) ?? [];
    });
    for (let round = 0; !response && round < 90; round++) this.#pass(1);
    return response ?? { status: 0, headers: [], body: { kind: 'none' } };
  }
}

type Query = Readonly<Record<string, string | readonly string[]>>;

const OF_ALL = { user: ADMIN };
const ASKING: readonly Pick<AgentRequest, 'user' | 'token'>[] = [
  ...[OF_ALL, OF_ALL, OF_ALL, OF_ALL, OF_ALL],
  { user: 'anonymous' },
  { token: 'none' },
  { user: { name: 'alice', groups: ['system:authenticated'] } },
];

const COMMANDS: readonly (readonly string[])[] = [
  ['cat', '/etc/hostname'],
  ['cat', '/etc/app/conf', '/none'],
  ['sh', '-c', 'echo $COLOUR; echo no >&2; exit 3'],
  ['sh', '-c', 'echo a >> /tmp/note; cat /tmp/note'],
  ['psql', '-l'],
  ['broken'],
  ['vim'],
  ['cat'],
  ['sh'],
  ['sleep', '5'],
  ['env'],
  ['wget', '-qO-', 'http://s/hello'],
  ['curl', '-s', 'http://s.default.svc.cluster.local'],
  ['nslookup', 's'],
  ['nc', '-z', '-w1', 's', '80'],
];
const TYPED = [[], [], ['echo typed\n', 'exit 2\n'], ['one\n'], ['x', 'y\n']];
const PROXIED = [
  'pods/@',
  'pods/@:8080',
  'pods/http:@:http',
  'services/s',
  'services/s:80',
  'services/s:web',
  'nodes/worker-1',
  'pods/@:9',
];
const PATHS = ['', '/', '/hello', '/teapot', '/none?a=1'];
const AGENT_PATHS = [
  ...[
    '/healthz',
    '/healthz?verbose=',
    '/pods',
    '/runningpods/',
    '/stats/summary',
    '/metrics',
    '/metrics/cadvisor',
  ],
  ...[
    '/metrics/resource',
    '/metrics/probes',
    '/metrics/slis',
    '/configz',
    '/logs/',
    '/none',
    '/debug/flags/v',
  ],
  ...[
    '/containerLogs/default/@/main',
    '/containerLogs/default/@/main?tailLines=2',
    '/run/default/@/main?cmd=env',
  ],
  ...[
    '/run/default/@/main?cmd=broken',
    '/containerLogs/default/@/none',
    '/healthz/syncloop',
    '/pods?pretty=1',
  ],
];

function execQuery(random: Random): Query {
  const isTerminal = random.chance(20);
  return {
    command: random.pick(COMMANDS),
    ...(random.chance(60) && { stdin: 'true' }),
    ...(random.chance(95) && { stdout: 'true' }),
    ...(random.chance(85) && { stderr: 'true' }),
    ...(isTerminal && { tty: 'true' }),
    ...(random.chance(10) && { container: random.pick(['main', 'none']) }),
  };
}

const logQuery = (random: Random): Readonly<Record<string, string>> => ({
  ...(random.chance(30) && { tailLines: random.pick(['0', '1', '3', 'a', '-1']) }),
  ...(random.chance(30) && { previous: 'true' }),
  ...(random.chance(25) && { follow: 'true' }),
  ...(random.chance(25) && { timestamps: 'true' }),
  ...(random.chance(20) && { limitBytes: random.pick(['1', '20', '0']) }),
  ...(random.chance(20) && { sinceSeconds: random.pick(['1', '10', '0', '3600']) }),
  ...(random.chance(8) && { container: random.pick(['main', 'none']) }),
  ...(random.chance(5) && { stream: random.pick(['Stdout', 'Stderr', 'All']) }),
});

const behaviourOf = (random: Random): WorkloadBehaviour => ({
  ...(random.chance(35) && { runsForSeconds: random.pick([1, 8, 40]), exitCode: random.pick([0, 1, 137]) }),
  ...(random.chance(20) && { ignoresTerm: true }),
  ...(random.chance(20) && { memoryGrowthBytes: 5_000_000 }),
  ...(random.chance(25) && { failsProbes: [{ probe: 'liveness', fromSeconds: 9, toSeconds: 30 }] }),
  ...(random.chance(10) && { imageMissing: true }),
  memoryBytes: 50_000_000,
  diskBytes: 1_000_000,
  files: { '/etc/app/conf': 'a=1\nb=2\n' },
  exec: { 'psql -l': { stdout: 'orders\n', seconds: 3 }, broken: { stderr: 'no\n', exitCode: 4 }, check: {} },
  listens: [{ port: 8080, paths: { '/teapot': { status: 418, body: 'short' }, '/hello': 'world' } }],
  logs: [
    'begins',
    { text: 'later', afterSeconds: 2 },
    { text: 'wrong', afterSeconds: 3, stream: 'stderr' },
    { text: 'again', afterSeconds: 4, everySeconds: random.pick([5, 20]) },
  ],
});

export function* drawnMachines(): Generator<Told> {
  for (let index = 0; index < WORLDS; index++) {
    const machines = new Machines(index);
    for (let act = 0; act < ACTS; act++) machines.act();
    machines.end();
    yield { name: `world ${index}`, said: machines.said };
  }
}
