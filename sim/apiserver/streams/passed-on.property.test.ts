/**
 * What passes a server bit by bit, whoever writes, reads, ends or goes away in any order, beside plain lists: a reader who
 * comes when he is told sees all pieces in their order and the end, whoever has gone away sees nothing any more, and the
 * end is told once.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANNEL, type StreamFrame } from '../../api/stream-frame.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Channel } from '../../engine/channel.ts';
import type { Process } from '../../engine/process.ts';
import { Simulation } from '../../engine/simulation.ts';
import { after, milliseconds } from '../../engine/time.ts';
import type { PortOutcome } from '../request/request.ts';
import type { NodeOutcome } from '../surroundings.ts';
import { ForwardedPorts } from './forwarded-ports.ts';
import { NodeChannels, RefusedChannels } from './node-channels.ts';
import { ObservedStream } from './observed-stream.ts';
import { TextStream } from './text-stream.ts';

/** As a server has it. */
class Surroundings {
  readonly simulation = new Simulation({ seed: 1 });
  readonly context = this.simulation.actor('apiserver/0').context;
  /** How many processes have been begun and neither ended nor been stopped. */
  running = 0;

  readonly start = (process: Process<void>): (() => void) => {
    const task = this.context.spawn('passes on', this.#counted(process));
    return () => task.cancel();
  };

  *#counted(process: Process<void>): Process<void> {
    this.running += 1;
    try {
      yield* process;
    } finally {
      this.running -= 1;
    }
  }

  pass(ms: number): void {
    this.simulation.runUntil(after(this.simulation.now, milliseconds(ms)));
  }
}

interface Readable {
  subscribe(onReady: () => void): void;
  read(): unknown;
  readonly ended: boolean;
}

/** Reads all there is when he is told, or only when he likes to. */
class Reader {
  readonly seen: string[] = [];
  readonly #stream: Readable;
  #isAtWork = true;
  isNews = false;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.subscribe(() => {
      this.isNews = true;
      if (this.#isAtWork) this.readAll();
    });
  }

  readAll(): void {
    this.isNews = false;
    for (let piece = this.#stream.read(); piece !== undefined; piece = this.#stream.read())
      this.seen.push(shown(piece));
  }

  work(isAtWork: boolean): void {
    this.#isAtWork = isAtWork;
    if (isAtWork && this.isNews) this.readAll();
  }
}

const shown = (piece: unknown): string => {
  if (piece instanceof Uint8Array) return new TextDecoder().decode(piece);
  const { channel, bytes } = piece as StreamFrame;
  return `${channel}: ${bytes ? new TextDecoder().decode(bytes) : 'over'}`;
};

class Response {
  readonly #text = new TextStream();
  #ends = 0;
  readonly #stream = new ObservedStream(this.#text, () => (this.#ends += 1));
  readonly reader = new Reader(this.#stream);
  #written: string[] = [];
  #leavings = 0;
  #state: 'open' | 'ended' | 'closed' = 'open';
  #atClose: readonly string[] = [];

  constructor() {
    this.#text.onClose = () => (this.#leavings += 1);
  }

  write(text: string): void {
    if (this.#state !== 'open') return;
    this.#text.write(text);
    if (text !== '') this.#written.push(text);
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    this.#text.end();
  }

  close(): void {
    if (this.#state !== 'closed') this.#atClose = [...this.reader.seen];
    this.#state = 'closed';
    this.#stream.close();
  }

  compare(): void {
    const { seen, isNews } = this.reader;
    if (this.#state === 'closed') {
      expect(this.#stream.read()).toBeUndefined();
      expect(this.#stream.ended).toBe(true);
      expect(seen).toEqual(this.#atClose);
      expect(this.#leavings).toBeGreaterThan(0);
    } else if (isNews) expect(this.#written.slice(0, seen.length)).toEqual(seen);
    else expect(seen).toEqual(this.#written);
    const isRead = seen.length === this.#written.length;
    const isOver = this.#state === 'closed' || (this.#state === 'ended' && isRead);
    expect(this.#stream.ended).toBe(isOver);
    expect(this.#ends).toBe(isOver ? 1 : 0);
  }
}

const onResponse = actsOn<Response>();

it('tells the text of a response to its reader, and its end once', () => {
  holdsInAnyOrder({
    begin: () => new Response(),
    acts: [
      onResponse('write', fc.constantFrom('a', 'b', 'c', ''), (response, text) => response.write(text)),
      onResponse('write', fc.constantFrom('d', 'e'), (response, text) => response.write(text)),
      onResponse('work', fc.boolean(), ({ reader }, isAtWork) => reader.work(isAtWork)),
      onResponse('end', NOTHING, (response) => response.end()),
      onResponse('close', NOTHING, (response) => response.close()),
    ],
    compare: (response) => response.compare(),
    most: 8,
    runs: 200,
  });
});

class Connection {
  readonly #surroundings = new Surroundings();
  readonly #agent = new Channel<StreamFrame>();
  readonly #sent: StreamFrame[] = [];
  readonly #channels = new NodeChannels(this.#surroundings, {
    kind: 'stream',
    receive: function* (this: Connection): Process<StreamFrame | undefined> {
      return yield* this.#agent.receive();
    }.bind(this),
    send: (frame) => void this.#sent.push(frame),
    close: () => (this.#isLeft = true),
  });
  readonly reader = new Reader(this.#channels);
  readonly #told: string[] = [];
  readonly #taken: StreamFrame[] = [];
  #hasStatus = false;
  #isLeft = false;
  #isEnded = false;
  #atClose: readonly string[] | undefined;

  constructor() {
    this.#surroundings.pass(0);
  }

  tell(channel: number, text: string | undefined): void {
    if (this.#isEnded || this.#atClose) return;
    const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
    this.#agent.offer({ channel, bytes });
    this.#told.push(`${channel}: ${text ?? 'over'}`);
    this.#hasStatus ||= channel === CHANNEL.error;
    this.#surroundings.pass(0);
  }

  end(): void {
    this.#isEnded = true;
    this.#agent.close();
    this.#surroundings.pass(0);
  }

  take(channel: number): void {
    if (this.#atClose) return;
    const frame = { channel, bytes: new Uint8Array([channel]) };
    this.#channels.take(frame);
    this.#taken.push(frame);
  }

  close(): void {
    this.#atClose ??= [...this.reader.seen];
    this.#channels.close();
    this.#surroundings.pass(0);
  }

  compare(): void {
    expect(this.#sent).toEqual(this.#taken);
    expect(this.#surroundings.running).toBe(this.#isEnded || this.#atClose ? 0 : 1);
    if (this.#atClose) {
      expect(this.#channels.read()).toBeUndefined();
      expect(this.reader.seen).toEqual(this.#atClose);
      expect(this.#channels.ended).toBe(true);
      expect(this.#isLeft).toBe(true);
      return;
    }
    const { seen, isNews } = this.reader;
    const isBroken = this.#isEnded && !this.#hasStatus;
    expect(seen.slice(0, this.#told.length)).toEqual(this.#told.slice(0, seen.length));
    if (isNews) return;
    expect(seen.slice(this.#told.length)).toEqual(
      isBroken ? [expect.stringMatching(/^3: .*"status":"Failure".*the connection to the node broke/)] : [],
    );
    expect(seen.length).toBeGreaterThanOrEqual(this.#told.length);
    expect(this.#channels.ended).toBe(this.#isEnded);
  }
}

const onConnection = actsOn<Connection>();
const someChannel = fc.constantFrom<number>(...Object.values(CHANNEL));

describe('the channels of an agent', () => {
  it('are told in order, and how they ended where the agent has not told it', () => {
    holdsInAnyOrder({
      begin: () => new Connection(),
      acts: [
        onConnection(
          'tell',
          fc.tuple(someChannel, fc.constantFrom('a', 'b', undefined)),
          (connection, [channel, text]) => connection.tell(channel, text),
        ),
        onConnection('tell', someChannel, (connection, channel) => connection.tell(channel, 'c')),
        onConnection('take', someChannel, (connection, channel) => connection.take(channel)),
        onConnection('work', fc.boolean(), ({ reader }, isAtWork) => reader.work(isAtWork)),
        onConnection('end', NOTHING, (connection) => connection.end()),
        onConnection('close', NOTHING, (connection) => connection.close()),
      ],
      compare: (connection) => connection.compare(),
      most: 10,
      runs: 150,
      hasSomeOnly: true,
    });
  });

  it('tell why there are none, once, to whoever looks in time', () => {
    const steps = fc.array(fc.constantFrom('read', 'take', 'close'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.string(), steps, (message, all) => {
        const channels = new RefusedChannels(message);
        let isToTell = true;
        let isTold = false;
        channels.subscribe(() => (isTold = true));
        expect(isTold).toBe(true);
        for (const step of all) {
          expect(channels.ended).toBe(!isToTell);
          if (step === 'take') channels.take();
          else if (step === 'close') channels.close();
          else {
            const frame = channels.read();
            expect(frame !== undefined).toBe(isToTell);
            const status: unknown = frame && JSON.parse(new TextDecoder().decode(frame.bytes));
            if (frame)
              expect(status).toMatchObject({
                status: 'Failure',
                message: `Internal error occurred: ${message}`,
              });
          }
          isToTell &&= step === 'take';
        }
        expect(channels.ended).toBe(!isToTell);
      }),
    );
  });
});

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'u-1' },
  spec: { nodeName: 'n', containers: [] },
  status: { podIP: '10.0.0.1' },
};

/** Of each port what becomes of a request, and after how long. */
const PORTS: Readonly<Record<string, { readonly takesMs: number; readonly outcome: NodeOutcome }>> = {
  80: { takesMs: 5, outcome: { kind: 'answer', status: 200, body: 'fine', contentType: 'text/html' } },
  81: { takesMs: 1, outcome: { kind: 'answer', status: 404, body: { is: 'not here' } } },
  82: { takesMs: 3, outcome: { kind: 'refused' } },
  83: { takesMs: 30, outcome: { kind: 'timeout' } },
};

function expectedOf(port: string): unknown {
  const { outcome } = PORTS[port] ?? {};
  if (outcome?.kind !== 'answer')
    return {
      kind: 'problem',
      message: expect.stringContaining(`forwarding port ${port} to pod u1,`) as string,
    };
  const { status, body, contentType = 'text/plain; charset=utf-8' } = outcome;
  return {
    kind: 'answer',
    status,
    text: typeof body === 'string' ? body : JSON.stringify(body),
    contentType,
  };
}

class Forwarding {
  readonly #surroundings = new Surroundings();
  readonly #ports = new ForwardedPorts(
    {
      start: this.#surroundings.start,
      reachPod: (node, request) => this.#reach(node, request.ip, request.port),
    },
    POD,
  );
  readonly #calls: { readonly port: string; readonly endsMs: number; told: PortOutcome[] }[] = [];
  #closedMs = Infinity;
  #nowMs = 0;

  *#reach(node: string, ip: string, port: number): Process<NodeOutcome> {
    expect([node, ip]).toEqual(['n', '10.0.0.1']);
    const { takesMs = 0, outcome = { kind: 'refused' as const } } = PORTS[String(port)] ?? {};
    yield* this.#surroundings.context.sleep(milliseconds(takesMs));
    return outcome;
  }

  ask(port: string): void {
    if (this.#closedMs < Infinity) return;
    const told: PortOutcome[] = [];
    this.#calls.push({ port, endsMs: this.#nowMs + (PORTS[port]?.takesMs ?? 0), told });
    this.#ports.ask({ port, method: 'GET', path: '/' }, (outcome) => told.push(outcome));
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    this.#surroundings.pass(ms);
  }

  close(): void {
    this.#closedMs = Math.min(this.#closedMs, this.#nowMs);
    this.#ports.close();
    this.#surroundings.pass(0);
  }

  compare(): void {
    for (const { port, endsMs, told } of this.#calls)
      expect(told).toEqual(endsMs <= Math.min(this.#nowMs, this.#closedMs) ? [expectedOf(port)] : []);
    const waiting = this.#calls.filter(({ endsMs }) => endsMs > this.#nowMs);
    if (this.#closedMs < Infinity) expect(this.#surroundings.running).toBe(0);
    else expect(this.#surroundings.running).toBeLessThanOrEqual(waiting.length + this.#calls.length);
  }
}

const onForwarding = actsOn<Forwarding>();

it('answers each request to a forwarded port once, unless the client has gone away before', () => {
  holdsInAnyOrder({
    begin: () => new Forwarding(),
    acts: [
      onForwarding('ask', fc.constantFrom(...Object.keys(PORTS)), (forwarding, port) => {
        forwarding.ask(port);
        forwarding.pass(0);
      }),
      onForwarding('pass', fc.constantFrom(1, 3, 10), (forwarding, ms) => forwarding.pass(ms)),
      onForwarding('close', NOTHING, (forwarding) => forwarding.close()),
    ],
    compare: (forwarding) => forwarding.compare(),
    most: 8,
    runs: 100,
  });
});
