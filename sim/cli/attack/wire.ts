/** Sends hostile requests over HTTP/1.1, with and without TLS, and over HTTP/2. */
import { Agent, request as httpRequest } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import { commandFor, type Tally } from './finding.ts';
import type { FuzzOptions } from './fuzz.ts';
import { mutated } from './mutate.ts';
import { type AttackedPorts, attackedPorts } from './ports.ts';
import { Random } from './random.ts';
import { recordedCalls } from './recorded-calls.ts';

/** Requests that are under way at once. */
const AT_ONCE = 16;
/** Watches may last; whatever has been answered until then is let go. */
const PATIENCE_MS = 15_000;
/** What was answered is read so long; a watch goes on for ever. */
const READ_MS = 500;

/** `unsendable`: the client's own library refuses to send it. */
type Outcome = 'answered' | 'broken off' | 'silent' | 'unsendable';
type Sender = (call: Call) => Promise<Outcome>;

export async function attackWire({ seed, isOver, onProgress }: FuzzOptions, tally: Tally): Promise<void> {
  const random = new Random(seed);
  const calls = recordedCalls();
  const ports = await attackedPorts();
  const senders = [http1Sender(ports), tlsSender(ports), http2Sender(ports)];
  try {
    for (let at = random.below(calls.length); !isOver(tally);) {
      const round = Array.from({ length: AT_ONCE }, () => ({
        call: mutated(calls[at++ % calls.length] ?? random.pick(calls), random),
        send: random.pick(senders).send,
      }));
      const outcomes = await Promise.all(round.map(({ call, send }) => send(call)));
      tally.requests += outcomes.filter((outcome) => outcome !== 'unsendable').length;
      const silent = round.filter((_sent, index) => outcomes[index] === 'silent');
      for (const { call } of silent) note(tally, 'hang: no answer', call);
      for (const text of ports.takeDefects()) note(tally, `defect: ${text}`, undefined, seed);
      if (!(await ports.isAlive())) {
        note(tally, 'crash: nobody is served any more', undefined, seed);
        return;
      }
      onProgress(tally);
    }
  } finally {
    for (const { close } of senders) close();
    await ports.serving.stop();
  }
}

function note(tally: Tally, what: string, call: Call | undefined, seed = 0): void {
  if (what.startsWith('defect')) tally.defects++;
  else tally.hangs++;
  if (tally.findings.some((known) => known.what === what)) return;
  const calls = call ? [call] : [];
  const command = call
    ? commandFor(calls)
    : `npm run attack -- --only wire --seed ${seed} --count ${tally.requests}`;
  tally.findings.push({ what, calls, command });
}

interface Client {
  readonly send: Sender;
  close(): void;
}

const http1Sender = ({ http }: AttackedPorts): Client => {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (call) => sent(call, () => httpRequest({ ...http1Options(http, call), agent })),
    close: () => agent.destroy(),
  };
};

const tlsSender = ({ https }: AttackedPorts): Client => {
  const agent = new SecureAgent({ keepAlive: true, rejectUnauthorized: false });
  return {
    send: (call) => sent(call, () => httpsRequest({ ...http1Options(https, call), agent })),
    close: () => agent.destroy(),
  };
};

const http1Options = ({ hostname, port }: URL, { method, path, headers, body }: Call) => ({
  hostname,
  port,
  method,
  path,
  headers: { ...headers, ...(body && { 'content-length': body.length }) },
});

function sent(call: Call, open: () => ReturnType<typeof httpRequest>): Promise<Outcome> {
  return new Promise((resolve) => {
    try {
      const request = open();
      const timer = setTimeout(() => {
        resolve('silent');
        request.destroy();
      }, PATIENCE_MS);
      request.on('response', (response) => {
        const reading = setTimeout(() => request.destroy(), READ_MS);
        response.on('close', () => {
          clearTimeout(reading);
          clearTimeout(timer);
          resolve('answered');
        });
        response.on('error', () => undefined);
        response.resume();
      });
      request.on('error', () => {
        clearTimeout(timer);
        resolve('broken off');
      });
      request.end(call.body);
    } catch {
      resolve('unsendable');
    }
  });
}

function http2Sender({ https }: AttackedPorts): Client {
  let session: ClientHttp2Session | undefined;
  const connected = (): ClientHttp2Session => {
    if (!session || session.destroyed || session.closed) {
      session = connectHttp2(https, { rejectUnauthorized: false });
      session.on('error', () => undefined);
    }
    return session;
  };
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve) => {
        try {
          const stream = connected().request(
            { ...headers, ':method': method, ':path': path },
            { endStream: !body },
          );
          const timer = setTimeout(() => {
            resolve('silent');
            stream.close();
          }, PATIENCE_MS);
          let outcome: Outcome = 'broken off';
          stream.on('response', () => {
            outcome = 'answered';
            setTimeout(() => stream.close(), READ_MS).unref();
          });
          stream.on('error', () => undefined);
          stream.on('close', () => {
            clearTimeout(timer);
            resolve(outcome);
          });
          stream.resume();
          if (body) stream.end(body);
        } catch {
          resolve('unsendable');
        }
      }),
    close: () => session?.destroy(),
  };
}
