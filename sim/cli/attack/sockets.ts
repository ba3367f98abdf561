/** Clients that keep no rules: bytes in pieces and out of order, connections that break, frames that mean nothing. */
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import type { Tally } from './finding.ts';
import type { FuzzOptions } from './fuzz.ts';
import { type AttackedPorts, attackedPorts } from './ports.ts';
import { Random } from './random.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const HEAD = 'host: localhost\r\nauthorization: Bearer admin-token\r\ncontent-type: application/json\r\n';
const BODY = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a"}}';
const POST = `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}content-length: ${BODY.length}\r\n\r\n${BODY}`;
const CHUNKED = `POST ${CONFIG_MAPS} HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const GET = `GET ${CONFIG_MAPS}?limit=1 HTTP/1.1\r\n${HEAD}\r\n`;
const WATCH = `GET ${CONFIG_MAPS}?watch=true HTTP/1.1\r\n${HEAD}\r\n`;
const UPGRADE = `GET ${CONFIG_MAPS}?watch=true HTTP/1.1\r\n${HEAD}connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
const CONTROL = `POST /kubesim/v1/clock HTTP/1.1\r\n${HEAD}content-length: 14\r\n\r\n{"advance":10}`;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const TEXTS = [
  POST,
  CHUNKED,
  GET,
  WATCH,
  UPGRADE,
  CONTROL,
  PREFACE,
  'JUNK / HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
];

type Attack = (ports: AttackedPorts, random: Random) => Promise<void>;

const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.below(256)));

/** Some of its bytes are others, are missing or come twice. */
function damaged(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const at = random.below(bytes.length);
  switch (random.below(5)) {
    case 0:
      bytes[at] = random.below(256);
      return bytes;
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), noise(random, 1 + random.below(20)), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes, bytes]);
    default:
      return bytes;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const dialled = ({ http, https }: AttackedPorts, random: Random): Socket => {
  const socket = random.oneIn(2)
    ? connect(Number(http.port), '127.0.0.1')
    : connectTls({
        port: Number(https.port),
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ALPNProtocols: [random.pick(['h2', 'http/1.1'])],
      });
  return socket.on('error', () => undefined).resume();
};

/** Requests in a row, damaged, cut anywhere, and left in different ways. */
const brokenText: Attack = async (ports, random) => {
  const socket = dialled(ports, random);
  const whole = Buffer.concat(
    Array.from({ length: 1 + random.below(4) }, () => damaged(random.pick(TEXTS), random)),
  );
  for (let at = 0; at < whole.length && !socket.destroyed;) {
    const length = 1 + random.below(whole.length);
    socket.write(whole.subarray(at, at + length));
    at += length;
    if (random.oneIn(2)) await pause(random.below(5));
  }
  if (random.oneIn(3)) socket.destroy();
  else if (random.oneIn(2)) socket.end();
  await pause(random.below(20));
  socket.destroy();
};

const pureNoise: Attack = async (ports, random) => {
  const socket = dialled(ports, random);
  socket.write(noise(random, 1 + random.below(2_000)));
  await pause(5);
  socket.destroy();
};

/** After the preface of HTTP/2 come frames of any type, length and stream. */
const brokenFrames: Attack = async ({ https }, random) => {
  const socket = connectTls({
    port: Number(https.port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  socket.on('error', () => undefined).resume();
  socket.write(PREFACE, 'latin1');
  for (let count = random.below(30); count >= 0 && !socket.destroyed; count--) {
    const payload = noise(random, random.below(64));
    const head = Buffer.from([
      0,
      0,
      payload.length,
      random.below(12),
      random.below(256),
      0,
      0,
      0,
      random.below(8),
    ]);
    socket.write(Buffer.concat([head, payload]));
  }
  await pause(10);
  socket.destroy();
};

const rapidResets: Attack = async ({ https }, random) => {
  const session = connectHttp2(https, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  for (let count = 200 + random.below(800); count > 0 && !session.destroyed; count--) {
    const stream = session.request({
      ':path': random.oneIn(2) ? CONFIG_MAPS : `${CONFIG_MAPS}?watch=true`,
      authorization: 'Bearer admin-token',
    });
    stream.on('error', () => undefined);
    if (random.oneIn(10)) await pause(0);
    stream.close();
  }
  await pause(5);
  session.destroy();
};

const webSocketNoise: Attack = async ({ http }, random) => {
  const socket = new WebSocket(`ws://${http.host}${CONFIG_MAPS}?watch=true`, {
    headers: { authorization: 'Bearer admin-token' },
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => {
    socket.on('open', resolve);
    socket.on('close', resolve);
  });
  if (socket.readyState === socket.OPEN) {
    socket.send(noise(random, random.below(200)));
    Reflect.get(socket, '_socket')?.write?.(noise(random, 1 + random.below(50)));
    await pause(5);
  }
  socket.terminate();
};

const ATTACKS: readonly Attack[] = [
  brokenText,
  brokenText,
  brokenText,
  pureNoise,
  brokenFrames,
  rapidResets,
  webSocketNoise,
];
const AT_ONCE = 16;

export async function attackSockets({ seed, isOver, onProgress }: FuzzOptions, tally: Tally): Promise<void> {
  const random = new Random(seed);
  const ports = await attackedPorts();
  const found = (what: string): void => {
    if (what.startsWith('defect')) tally.defects++;
    else tally.hangs++;
    if (tally.findings.some((known) => known.what === what)) return;
    const command = `npm run attack -- --only sockets --seed ${seed} --count ${tally.requests}`;
    tally.findings.push({ what, calls: [], command });
  };
  try {
    while (!isOver(tally)) {
      // Each has chance of its own, so that it does not matter which is faster.
      const round = Array.from({ length: AT_ONCE }, () => ({
        attack: random.pick(ATTACKS),
        own: new Random(random.below(2 ** 31)),
      }));
      await Promise.all(round.map(({ attack, own }) => attack(ports, own)));
      tally.requests += round.length;
      for (const text of ports.takeDefects()) found(`defect: ${text}`);
      if (!(await ports.isAlive())) {
        found('crash: nobody is served any more');
        return;
      }
      onProgress(tally);
    }
  } finally {
    await ports.serving.stop();
  }
}
