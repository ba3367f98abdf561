/** Those who want the memory of a server: by objects that come and go, by watches that idle, by readers that never read. */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Tally } from './finding.ts';
import type { FuzzOptions } from './fuzz.ts';
import { heldMb, MeasuredProcess, residentMb } from './measured-process.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WRITERS = 8;
const OBJECT_BYTES = 3_000;

/** May stay of what has gone, in megabytes: code that got warm, buffers, the newest hundred events of each cache. */
const MAX_LEFT_MB = 60;
const MAX_WATCH_BYTES = 30_000;
const SILENT_READERS = 50;
/** For all readers that never read, beyond the history of the writes. */
const MAX_SILENT_MB = 400;

async function withServer(
  only: string,
  { seed }: FuzzOptions,
  tally: Tally,
  attack: (server: MeasuredProcess, found: (what: string) => void) => Promise<void>,
): Promise<void> {
  const found = (what: string): void => {
    tally.defects++;
    const command = `npm run attack -- --only ${only} --seed ${seed} --count ${tally.requests}`;
    tally.findings.push({ what, calls: [], command });
  };
  const server = await MeasuredProcess.start();
  try {
    await attack(server, found);
    if (server.said !== '') found(server.said.split('\n', 1)[0] ?? '');
  } finally {
    server.stop();
  }
}

/** Creates and deletes: each pair is one object that came and went. */
export const attackMemory = (options: FuzzOptions, tally: Tally): Promise<void> =>
  withServer('memory', options, tally, async (server, found) => {
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
    const send = sender(server.url, agent);
    const before = await server.memory();
    let serial = 0;
    const pairs = async (): Promise<void> => {
      while (!options.isOver(tally)) {
        tally.requests++;
        const name = `a${serial++}`;
        const data = { text: 'x'.repeat(OBJECT_BYTES) };
        const created = await send('POST', CONFIG_MAPS, { metadata: { name }, data });
        const deleted = await send('DELETE', `${CONFIG_MAPS}/${name}`);
        if (created !== 201 || deleted !== 200) found(`POST answered ${created}, DELETE ${deleted}`);
        if (tally.requests % 1_000 === 0) options.onProgress(tally);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, pairs));
    const after = await server.memory();
    const compacted = await server.memory('compacted');
    agent.destroy();
    Object.assign(tally.figures, {
      beforeMb: heldMb(before),
      afterMb: heldMb(after),
      afterResidentMb: residentMb(after),
      compactedMb: heldMb(compacted),
      compactedResidentMb: residentMb(compacted),
    });
    const leftMb = heldMb(compacted) - heldMb(before);
    if (leftMb > MAX_LEFT_MB) found(`${Math.round(leftMb)} MB stay of objects that have gone`);
  });

/** Watches of which nobody hears anything. */
export const attackWatches = (options: FuzzOptions, tally: Tally): Promise<void> =>
  withServer('watches', options, tally, async (server, found) => {
    const before = await server.memory();
    const sockets: Socket[] = [];
    while (!options.isOver(tally)) {
      const opened = await Promise.all(
        Array.from({ length: 50 }, () => openWatch(server.url, `${CONFIG_MAPS}?watch=true`)),
      );
      sockets.push(...opened);
      tally.requests += opened.length;
      options.onProgress(tally);
    }
    const after = await server.memory();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void setTimeout(resolve, 1_000));
    const closed = await server.memory();
    const bytesEach = Math.round(((heldMb(after) - heldMb(before)) * 1e6) / tally.requests);
    const residentBytesEach = Math.round((after.residentBytes - before.residentBytes) / tally.requests);
    Object.assign(tally.figures, {
      beforeMb: heldMb(before),
      openMb: heldMb(after),
      closedMb: heldMb(closed),
      bytesEach,
      residentBytesEach,
    });
    if (bytesEach > MAX_WATCH_BYTES) found(`an idle watch holds ${bytesEach} bytes`);
  });

/** Watchers that open a watch and then read nothing, while everything changes. */
export const attackSilently = (options: FuzzOptions, tally: Tally): Promise<void> =>
  withServer('readers', options, tally, async (server, found) => {
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
    const send = sender(server.url, agent);
    const readers = await Promise.all(
      Array.from({ length: SILENT_READERS }, () => openWatch(server.url, `${CONFIG_MAPS}?watch=true`)),
    );
    for (const reader of readers) reader.pause();
    for (let writer = 0; writer < WRITERS; writer++)
      await send('POST', CONFIG_MAPS, { metadata: { name: `a${writer}` } });
    const before = await server.memory();
    let peakMb = 0;
    const write = async (_none: unknown, writer: number): Promise<void> => {
      while (!options.isOver(tally)) {
        const serial = ++tally.requests;
        const data = { text: String(serial).padEnd(1_000, 'x') };
        await send('PUT', `${CONFIG_MAPS}/a${writer}`, { metadata: { name: `a${writer}` }, data });
        if (serial % 10_000 === 0) peakMb = Math.max(peakMb, heldMb(await server.memory()));
        if (tally.requests % 1_000 === 0) options.onProgress(tally);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    const after = await server.memory();
    const cutOff = await Promise.all(readers.map(isCutOff));
    await server.memory('compacted');
    const compacted = await server.memory('compacted');
    agent.destroy();
    const cut = cutOff.filter(Boolean).length;
    Object.assign(tally.figures, {
      readers: SILENT_READERS,
      cutOff: cut,
      beforeMb: heldMb(before),
      peakMb: Math.max(peakMb, heldMb(after)),
      afterMb: heldMb(after),
      compactedMb: heldMb(compacted),
    });
    if (heldMb(after) - heldMb(before) > MAX_SILENT_MB)
      found(`readers that never read hold ${heldMb(after)} MB`);
    if (tally.requests > CERTAIN_CUT_OFF && cut < SILENT_READERS)
      found(`${SILENT_READERS - cut} readers that never read were not cut off`);
  });

/** More than fits into a queue and the buffers of two sockets. */
const CERTAIN_CUT_OFF = 50_000;
const READ_MS = 15_000;

/** What ends the answer to a watch. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Reads at last what there is: it ends where the server broke off. */
function isCutOff(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let end = '';
    const over = (isOver: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isOver);
    };
    const timer = setTimeout(() => over(false), READ_MS);
    socket.once('close', () => over(true));
    socket.on('data', (piece: Buffer) => {
      end = (end + piece.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
      if (end === LAST_CHUNK) over(true);
    });
    socket.resume();
  });
}

/** Once its first bytes have come. */
function openWatch({ hostname, port, host }: URL, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => reject(new Error('a watch was refused')));
    socket.once('data', () => resolve(socket.resume()));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  });
}

type Send = (method: string, path: string, body?: object) => Promise<number>;

function sender({ hostname, port }: URL, agent: Agent): Send {
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const headers = {
        'content-type': 'application/json',
        ...(text !== undefined && { 'content-length': text.length }),
      };
      const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      sent.on('error', reject);
      sent.end(text);
    });
}
