import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Pod } from '../api/types/core-v1.ts';
import { StaticTokens } from '../apiserver/authentication/static-tokens.ts';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import { serve, type Serving } from './serve.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BEHAVIOUR = {
  memory: { orders: 7 },
  logs: ['up', { text: 'tick', afterSeconds: 5, everySeconds: 5 }],
  exec: { greet: { stdout: 'hello\n', stderr: 'psst\n', exitCode: 3 } },
};

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Wanted {
  readonly method?: string;
  readonly token?: string;
  readonly body?: object;
  /** Milliseconds until the caller gives up. */
  readonly patience?: number;
}

/** @throws what the connection fails with */
function send(
  url: string,
  { method = 'GET', token, body, patience = 20_000 }: Wanted = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = request(url, { method, headers, rejectUnauthorized: false, agent: false });
    sent.setTimeout(patience, () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.end(body && JSON.stringify(body));
  });
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50));
}

let serving: Serving;
let api: string;
let node: string;
const admin = { token: 'secret' };

const setFaults = (faults: object): Promise<Answered> =>
  send(`${api}/kubesim/v1/faults`, { ...admin, method: 'PUT', body: faults });

/** Waits until it runs. */
async function runPod(
  name: string,
  nodeName: string,
  behaviour: object,
  container: object = {},
): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) } },
    spec: {
      nodeName,
      // A slow machine leaves a full disk full for long enough that pods which are not critical are evicted.
      priorityClassName: 'system-node-critical',
      restartPolicy: 'stdin' in container ? 'Never' : 'Always',
      containers: [{ name: 'main', image: 'app:1', ...container }],
    },
  };
  await until(
    async () => (await send(`${api}${PODS}`, { ...admin, method: 'POST', body: pod })).status === 201,
  );
  await until(async () => (await send(`${api}${PODS}/${name}`, admin)).body.includes('"phase":"Running"'));
}

beforeAll(async () => {
  serving = await serve({
    bindAddress: '127.0.0.1',
    securePort: 0,
    kubeletPorts: 0,
    seed: 1,
    speed: 20,
    nodes: 2,
    controllers: EVERY_CONTROLLER,
    authorizationMode: 'RBAC',
    tokenAuthenticators: [StaticTokens.parse('secret,admin,,"system:masters"\nother,eve,,')],
    onDefect: (error) => {
      throw error;
    },
  });
  api = serving.urls[0] ?? '';
  node = serving.nodeUrls.find((each) => each.node === 'worker-1')?.url ?? '';
  await runPod('web', 'worker-1', BEHAVIOUR);
}, 30_000);
afterAll(() => serving.stop());

describe('the port of a node', () => {
  const checkpoint = '/checkpoint/default/web/main';

  test('is one for each node', async () => {
    expect(serving.nodeUrls.map((each) => each.node)).toEqual(['worker-1', 'worker-2']);
    const { nodes } = JSON.parse((await send(`${api}/kubesim/v1/state`, admin)).body) as { nodes: object };
    expect(nodes).toMatchObject({ 'worker-1': node });
    expect(new Set([api, ...serving.nodeUrls.map(({ url }) => url)]).size).toBe(3);
  });

  test('makes a checkpoint', async () => {
    const { status, headers, body } = await send(node + checkpoint, { ...admin, method: 'POST' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({
      items: [
        expect.stringMatching(/^\/var\/lib\/kubelet\/checkpoints\/checkpoint-web_default-main-.*\.tar$/),
      ],
    });
  });

  test('shows the archive on the disk of its node', async () => {
    const { items } = JSON.parse((await send(node + checkpoint, { ...admin, method: 'POST' })).body) as {
      items: string[];
    };
    const [archive = ''] = items;
    const disk = `${api}/kubesim/v1/files?node=worker-1&below=/var/lib/kubelet/checkpoints`;
    expect(JSON.parse((await send(disk, admin)).body)).toMatchObject({
      items: expect.arrayContaining([{ path: archive, mode: '0600', owner: 'root', sizeBytes: 16_777_216 }]),
    });
    const file = await send(
      `${api}/kubesim/v1/file?node=worker-1&path=${encodeURIComponent(archive)}`,
      admin,
    );
    expect(file.headers['content-type']).toBe('application/octet-stream');
    expect(file.body.startsWith('config.dump\0')).toBe(true);
  });

  test.each([
    ['without credentials', { method: 'POST' }, checkpoint, 401, 'Unauthorized'],
    ['with a token of nobody', { method: 'POST', token: 'made-up' }, checkpoint, 401, 'Unauthorized'],
    [
      'for somebody else',
      { method: 'POST', token: 'other' },
      checkpoint,
      403,
      'Forbidden (user=eve, verb=create',
    ],
    ['with another method', admin, checkpoint, 405, '405: Method Not Allowed'],
    ['of no pod', { ...admin, method: 'POST' }, '/checkpoint/default/wbe/main', 404, 'pod does not exist'],
    [
      'of no container',
      { ...admin, method: 'POST' },
      '/checkpoint/default/web/side',
      404,
      'container side does not exist',
    ],
    [
      'with a bad timeout',
      { ...admin, method: 'POST' },
      `${checkpoint}?timeout=soon`,
      404,
      'cannot parse value of timeout',
    ],
    [
      'with a timeout below zero',
      { ...admin, method: 'POST' },
      `${checkpoint}?timeout=-1`,
      500,
      'timeout value to be > 0',
    ],
    ['of nothing', admin, '/nothing', 404, '404 page not found'],
  ])('refuses a checkpoint %s', async (_, wanted, path, status, text) => {
    const answer = await send(node + path, wanted);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(text);
  });

  test.each([
    [{ checkpointFails: 'criu failed' }, '', 'rpc error: code = Unknown desc = criu failed'],
    [{ checkpointUnimplemented: true }, '', 'rpc error: code = Unimplemented'],
    [{ runtimeHangs: true }, '?timeout=2', 'rpc error: code = DeadlineExceeded'],
    [{ diskFull: true }, '', 'no space left on device'],
  ])('tells what went wrong on a machine with %j', async (faults, query, text) => {
    const set = await setFaults({ machines: { 'worker-1': faults } });
    expect(JSON.parse(set.body)).toMatchObject({ machines: { 'worker-1': faults } });
    const answer = await send(node + checkpoint + query, { ...admin, method: 'POST' });
    expect(answer.status).toBe(500);
    expect(answer.body).toContain('checkpointing of default/web/main failed');
    expect(answer.body).toContain(text);
    await setFaults({});
    expect((await send(node + checkpoint, { ...admin, method: 'POST' })).status).toBe(200);
  });

  test.each([
    [{ 'worker-9': {} }, 'machines: there is no node worker-9'],
    [{ 'worker-1': { diskIsFull: true } }, 'machines.worker-1: there is no diskIsFull'],
    [{ 'worker-1': { diskFull: 'yes' } }, 'machines.worker-1.diskFull: expected a boolean'],
    [[], 'machines: expected a mapping of nodes'],
  ])('refuses the faults %j', async (machines, text) => {
    const { status, body } = await setFaults({ machines });
    expect([status, body]).toEqual([400, expect.stringContaining(text)]);
  });

  test('gives an archive that a container of another node goes on from', async () => {
    const { body } = await send(node + checkpoint, { ...admin, method: 'POST' });
    const [archive] = (JSON.parse(body) as { items: string[] }).items;
    const restore = (from: string): Promise<Answered> =>
      send(`${api}/kubesim/v1/restore`, {
        ...admin,
        method: 'POST',
        body: { archive, from, onto: 'worker-2', pod: 'copy', container: 'main' },
      });
    expect(await restore('worker-2')).toMatchObject({
      status: 400,
      body: `{"message":"there is no ${archive} on the disk of worker-2"}\n`,
    });
    expect((await restore('worker-1')).body).toBe('{"container":"default/copy/main"}\n');
    await runPod('copy', 'worker-2', { memory: { orders: 0 } });
    const command = '/run/default/copy/main?cmd=cat%20/proc/1/mem';
    const seen = await send((serving.nodeUrls[1]?.url ?? '') + command, { ...admin, method: 'POST' });
    expect(JSON.parse(seen.body)).toMatchObject({ values: { orders: 7 } });
  });

  test('streams a log for as long as somebody reads it', async () => {
    const path = '/containerLogs/default/web/main?follow=true&limitBytes=13';
    expect((await send(node + path, admin)).body).toBe('up\ntick\ntick\n');
  });

  test('does not answer for a node that is cut off, or that hangs', async () => {
    for (const fault of [{ partitioned: ['worker-2'] }, { paused: ['worker-2'] }]) {
      const other = serving.nodeUrls[1]?.url ?? '';
      await setFaults(fault);
      await expect(send(`${other}/healthz`, { ...admin, patience: 500 })).rejects.toThrow('no answer');
      await setFaults({});
      expect((await send(`${other}/healthz`, admin)).body).toBe('ok');
    }
  });

  test('breaks connections off for an agent that has crashed', async () => {
    const other = serving.nodeUrls[1]?.url ?? '';
    await setFaults({ crashed: ['worker-2'] });
    await expect(send(`${other}/healthz`, { ...admin, patience: 5_000 })).rejects.toThrow(
      /ECONNRESET|socket/,
    );
    await setFaults({});
    expect((await send(`${other}/healthz`, admin)).body).toBe('ok');
  });
});

interface Session {
  readonly protocol: string;
  /** What came on each channel, until the server closed. */
  readonly channels: Readonly<Record<number, string>>;
}

/** Runs something over a WebSocket; `say` sends once the connection stands. */
function converse(
  url: string,
  protocols: string[],
  say: (socket: WebSocket) => void = () => undefined,
): Promise<Session> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer secret' };
    const socket = new WebSocket(url.replace('https', 'wss'), protocols, {
      headers,
      rejectUnauthorized: false,
    });
    const channels: Record<number, string> = {};
    socket.on('error', reject);
    socket.on('open', () => say(socket));
    socket.on('message', (data, isBinary) => {
      const bytes = Buffer.isBuffer(data) ? data : Buffer.from(data as ArrayBuffer);
      const channel = isBinary ? (bytes[0] ?? 0) : Number(bytes.toString().slice(0, 1));
      const rest = isBinary ? bytes.subarray(1) : Buffer.from(bytes.toString().slice(1), 'base64');
      channels[channel] = (channels[channel] ?? '') + rest.toString();
    });
    socket.on('close', () => resolve({ protocol: socket.protocol, channels }));
  });
}

describe('exec over a WebSocket', () => {
  const exec = (query: string): string => `${api}${PODS}/web/exec?${query}`;
  const GREET = 'command=greet&stdout=true&stderr=true';
  const FAILED = {
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: error executing command [greet], exit code 3',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  };

  test.each([['v5.channel.k8s.io'], ['v4.channel.k8s.io'], ['v4.base64.channel.k8s.io']])(
    'tells output and outcome in %s',
    async (wanted) => {
      const { protocol, channels } = await converse(exec(GREET), [wanted]);
      expect(protocol).toBe(wanted);
      expect([channels[1], channels[2]]).toEqual(['hello\n', 'psst\n']);
      expect(JSON.parse(channels[3] ?? '')).toEqual(FAILED);
    },
  );

  test.each([['channel.k8s.io'], ['base64.channel.k8s.io']])(
    'tells the outcome as a text in %s',
    async (wanted) => {
      expect((await converse(exec(GREET), [wanted])).channels[3]).toBe(FAILED.message);
      expect((await converse(exec('command=true&stdout=true'), [wanted])).channels[3]).toBeUndefined();
    },
  );

  test('takes what the client likes best of what is known here', async () => {
    expect((await converse(exec(GREET), ['v9.channel.k8s.io', 'v4.channel.k8s.io'])).protocol).toBe(
      'v4.channel.k8s.io',
    );
    await expect(converse(exec(GREET), ['v9.channel.k8s.io'])).rejects.toThrow('403');
  });

  test('reads standard input until it is ended, whatever else is sent', async () => {
    const { channels } = await converse(
      exec('command=cat&stdin=true&stdout=true'),
      ['v5.channel.k8s.io'],
      (socket) => {
        socket.send(Buffer.from([4, ...Buffer.from('{"Width":80,"Height":24}')]));
        socket.send(Buffer.from([0, ...Buffer.from('one\n')]));
        socket.send(Buffer.from([0, ...Buffer.from('two\n')]));
        socket.send(Buffer.from([255, 0]));
      },
    );
    expect(channels[1]).toBe('one\ntwo\n');
    expect(JSON.parse(channels[3] ?? '')).toEqual({ metadata: {}, status: 'Success' });
  });

  test('says on the error channel why a command cannot run', async () => {
    const status = async (query: string): Promise<unknown> =>
      JSON.parse((await converse(exec(query), ['v5.channel.k8s.io'])).channels[3] ?? '');
    expect(await status('command=vim&stdout=true')).toMatchObject({
      status: 'Failure',
      reason: 'InternalError',
      message: expect.stringMatching(/exec: "vim": executable file not found in \$PATH/),
    });
    expect(await status('command=true')).toMatchObject({
      message: expect.stringContaining('you must specify at least 1 of stdin, stdout, stderr'),
    });
  });

  test.each([['v4.channel.k8s.io'], ['channel.k8s.io']])(
    'is passed on to the node as it is in %s: its refusal is the answer',
    async (protocol) => {
      const refused = converse(exec('command=true'), [protocol]);
      await expect(refused).rejects.toThrow('Unexpected server response: 400');
      await setFaults({ crashed: ['worker-1'] });
      const unreached = converse(exec(GREET), [protocol]);
      await expect(unreached).rejects.toThrow('Unexpected server response: 500');
      await setFaults({});
      await until(async () => (await send(`${node}/healthz`, admin)).status === 200);
    },
  );

  test('of a node that has gone says so', async () => {
    const sleeping = converse(exec('command=sleep&command=1h&stdout=true'), ['v5.channel.k8s.io']);
    const isOpen = (subject: string): boolean => subject.startsWith('apiserver/0>node/worker-1:agent stream');
    await until(() => serving.world.cluster.trace.records(2_000).some(({ subject }) => isOpen(subject)));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await setFaults({ crashed: ['worker-1'] });
    expect((await sleeping).channels[3]).toContain('the connection to the node broke');
    await setFaults({});
  });

  test('goes to the port of the node as well', async () => {
    const url = `${node}/exec/default/web/main?command=greet&output=1`;
    await until(async () => (await send(`${node}/healthz`, admin)).status === 200);
    expect((await converse(url, ['v4.channel.k8s.io'])).channels[1]).toBe('hello\n');
  });

  test('shows what a container writes from now on, when it is attached to', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const url = `${api}${PODS}/web/attach?stdout=true`.replace('https', 'wss');
      const headers = { authorization: 'Bearer secret' };
      const socket = new WebSocket(url, ['v5.channel.k8s.io'], { headers, rejectUnauthorized: false });
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => {
        if (data.length === 1) return;
        resolve(data.subarray(1).toString());
        socket.close();
      });
    });
    expect(text).toBe('tick\n');
  });

  test('takes no more than can be kept until somebody reads it', async () => {
    const piece = Buffer.concat([Buffer.of(0), Buffer.alloc(2 ** 19, 'a')]);
    const { channels } = await converse(
      exec('command=sleep&command=1h&stdin=true&stdout=true'),
      ['v5.channel.k8s.io'],
      (socket) => {
        for (let count = 0; count < 140; count++) socket.send(piece);
      },
    );
    expect(channels[3]).toContain('more than 64 MiB of input that nobody has read are not modelled');
  });

  test('asks for a change of the protocol', async () => {
    expect((await send(exec(GREET), admin)).body).toContain('Upgrade request required');
  });
});

describe('a container that has a standard input', () => {
  const attach = (pod: string, say: (socket: WebSocket) => void, query = ''): Promise<Session> =>
    converse(`${api}${PODS}/${pod}/attach?stdin=true&stdout=true${query}`, ['v5.channel.k8s.io'], say);
  const type = (socket: WebSocket, text: string): void => socket.send(Buffer.from([0, ...Buffer.from(text)]));
  const end = (socket: WebSocket): void => socket.send(Buffer.from([255, 0]));
  const exitCodeOf = async (pod: string): Promise<number | undefined> => {
    const { status } = JSON.parse((await send(`${api}${PODS}/${pod}`, admin)).body) as Pod;
    return status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
  };

  test('reads what is typed by who is attached, and ends as it says', async () => {
    await runPod('asked', 'worker-1', {}, { stdin: true, stdinOnce: true, command: ['sh'] });
    const { channels } = await attach('asked', (socket) => type(socket, 'echo one\nexit 4\n'));
    expect(channels[1]).toBe('one\n');
    await until(async () => (await exitCodeOf('asked')) === 4);
    expect((await send(`${api}${PODS}/asked/log`, admin)).body).toBe('one\n');
  });

  test('has no more of it once the first has gone, where it is to be had once', async () => {
    await runPod('once', 'worker-1', {}, { stdin: true, stdinOnce: true, command: ['cat'] });
    const { channels } = await attach('once', (socket) => {
      type(socket, 'all\n');
      end(socket);
    });
    expect(channels[1]).toBe('all\n');
    await until(async () => (await exitCodeOf('once')) === 0);
  });

  test('goes on with the next one, where it is not', async () => {
    await runPod('often', 'worker-1', {}, { stdin: true, command: ['sh'] });
    const leave = (socket: WebSocket): void => {
      type(socket, 'kept=yes\n');
      socket.close();
    };
    await attach('often', leave);
    const { channels } = await attach('often', (socket) => type(socket, 'echo $kept; exit\n'));
    expect(channels[1]).toBe('yes\n');
  });

  test('shows on a terminal what is typed, and asks for more', async () => {
    await runPod('shown', 'worker-1', {}, { stdin: true, tty: true, image: 'busybox' });
    const keys = (socket: WebSocket): void => type(socket, 'echo oh\x7fk\rexit 2\r');
    expect((await attach('shown', keys, '&tty=true')).channels[1]).toBe(
      'echo oh\b \bk\r\nexit 2\r\nok\r\n# ',
    );
    await until(async () => (await exitCodeOf('shown')) === 2);
  });

  test('goes on with the shell when a command in it has read to the end', async () => {
    await runPod('inner', 'worker-1', {}, { stdin: true, tty: true, command: ['sh'] });
    const keys = (socket: WebSocket): void => type(socket, 'cat\ra\r\x04exit 5\r');
    await attach('inner', keys, '&tty=true');
    await until(async () => (await exitCodeOf('inner')) === 5);
  });

  test('is there for the next one, though the agent has gone and come back meanwhile', async () => {
    await runPod('again', 'worker-1', {}, { stdin: true, command: ['sh'] });
    const seen = await attach('again', (socket) => {
      type(socket, 'echo here\n');
      socket.on('message', (data: Buffer) => {
        if (data.toString().includes('here')) void setFaults({ crashed: ['worker-1'] });
      });
    });
    expect(seen.channels[3]).toContain('the connection to the node broke');
    await setFaults({});
    await until(async () => (await send(`${node}/healthz`, admin)).status === 200);
    const { channels } = await attach('again', (socket) => type(socket, 'echo back; exit 6\n'));
    expect(channels[1]).toBe('back\n');
    await until(async () => (await exitCodeOf('again')) === 6);
  });
});
