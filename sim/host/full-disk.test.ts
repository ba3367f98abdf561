import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { OpenFile } from './data-directory/file-layer.ts';
import { RealFiles } from './data-directory/real-files.ts';
import { serve, type ServeOptions } from './serve.ts';

const OPTIONS: ServeOptions = {
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 1,
  onDefect: (error) => {
    throw error;
  },
};
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string): string => JSON.stringify({ metadata: { name } });

async function send(
  url: string,
  method: string,
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, body: await response.json() };
}

/** Full when told. */
class Filling extends RealFiles {
  isFull = false;

  override create(name: string): OpenFile {
    return this.#filling(super.create(name));
  }

  override open(name: string): OpenFile {
    return this.#filling(super.open(name));
  }

  #filling(file: OpenFile): OpenFile {
    const write = (bytes: Uint8Array, position: number): number => {
      if (this.isFull) throw Object.assign(new Error('ENOSPC: full'), { code: 'ENOSPC' });
      return file.write(bytes, position);
    };
    return { ...file, write };
  }
}

describe('a server on a full disk', () => {
  test.each(['always', 'never'] as const)(
    'reads and does not write, says so once, and writes again when there is room (--fsync=%s)',
    async (fsync) => {
      const dataDirectory = mkdtempSync(join(tmpdir(), 'served-'));
      const notices: string[] = [];
      let files = new Filling(dataDirectory);
      const filesOver = (): Filling => files;
      const options = { ...OPTIONS, dataDirectory, fsync, dataOptions: { filesOver } };
      const onNotice = (line: string): void => void notices.push(line);
      const first = await serve({ ...options, onNotice });
      const url = first.urls[0] ?? '';
      const watch = await fetch(`${url}${CONFIG_MAPS}?watch=true`);
      expect((await send(url, 'POST', CONFIG_MAPS, configMap('kept'))).status).toBe(201);
      const reader = watch.body?.getReader();
      const event = await reader?.read();
      await reader?.cancel();
      expect(Buffer.from(event?.value ?? '').toString()).toMatch(/"ADDED".*"kept"/);
      files.isFull = true;
      for (const name of ['kept-out', 'kept-out-too']) {
        const refused = await send(url, 'POST', CONFIG_MAPS, configMap(name));
        expect(refused.status).toBe(500);
        // As a real server answers when its etcd has raised the alarm.
        expect(refused.body).toEqual({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'etcdserver: mvcc: database space exceeded',
          code: 500,
        });
        expect((await send(url, 'GET', `${CONFIG_MAPS}/${name}`)).status).toBe(404);
      }
      expect((await send(url, 'GET', `${CONFIG_MAPS}/kept`)).status).toBe(200);
      expect(notices).toEqual(['the data directory takes no writes: ENOSPC: full']);
      await first.stop();
      files = new Filling(dataDirectory);
      files.isFull = true;
      const second = await serve({ ...options, onNotice });
      const again = second.urls[0] ?? '';
      expect((await send(again, 'GET', `${CONFIG_MAPS}/kept`)).status).toBe(200);
      expect((await send(again, 'POST', CONFIG_MAPS, configMap('later'))).status).toBe(500);
      files.isFull = false;
      const isWritten = async (): Promise<boolean> =>
        (await send(again, 'POST', CONFIG_MAPS, configMap('later'))).status === 201;
      await vi.waitFor(async () => expect(await isWritten()).toBe(true), { timeout: 5_000, interval: 100 });
      expect(notices.at(-1)).toBe('the data directory takes writes again');
      await second.stop();
      rmSync(dataDirectory, { recursive: true });
    },
  );
});

describe('a server that keeps its storage on disk', () => {
  test('breaks off the connection of whoever does not get an answer, and keeps what was done', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubesim-lost-'));
    const serving = await serve({ ...OPTIONS, dataDirectory: folder });
    try {
      const [url = ''] = serving.urls;
      const faults = (requests: readonly object[]) =>
        send(url, 'PUT', '/kubesim/v1/faults', JSON.stringify({ requests }));
      await faults([{ kind: 'loseAnswer', verb: 'create', resource: 'configmaps', count: 1 }]);
      await expect(send(url, 'POST', CONFIG_MAPS, configMap('lost'))).rejects.toThrow();
      await faults([]);
      expect((await send(url, 'GET', `${CONFIG_MAPS}/lost`)).status).toBe(200);
      expect((await send(url, 'POST', CONFIG_MAPS, configMap('lost'))).status).toBe(409);
    } finally {
      await serving.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
