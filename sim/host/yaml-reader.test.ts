import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { ReadYaml } from '../apiserver/request/read-yaml.ts';
import { serve } from './serve.ts';
import { YamlReader } from './yaml-reader.ts';

/** As it is built: Node runs no TypeScript. */
const program = new URL('../../dist/yaml-worker.js', import.meta.url);

const flowList = (items: number): string => `x: [${'a, '.repeat(items)}a]\n`;

describe.skipIf(!existsSync(program))('large YAML', () => {
  const defects: unknown[] = [];
  const readers: YamlReader[] = [];
  const reader = (limits: { limitMs?: number; maxHeapMegabytes?: number } = {}): YamlReader => {
    const made = new YamlReader({ program, onDefect: (error) => defects.push(error), ...limits });
    readers.push(made);
    return made;
  };
  const read = (by: YamlReader, text: string): Promise<ReadYaml> =>
    new Promise((resolve) => void by.read(text, resolve));
  afterEach(() => {
    for (const each of readers.splice(0)) each.close();
    expect(defects.splice(0)).toEqual([]);
  });

  test('is read as if it were read here, also what JSON cannot say', async () => {
    const by = reader();
    const text = 'a: &a [1, 12345678901234567890, x]\nb: *a\nb: !!str 2\n__proto__: {c: 1}\n';
    const answer = await read(by, text);
    expect(answer).toMatchObject({ kind: 'value', duplicates: ['line 3: key "b" already set in map'] });
    const value = answer.kind === 'value' ? (answer.value as Record<string, unknown>) : {};
    expect(Object.keys(value)).toEqual(['a', 'b', '__proto__']);
    expect(value['a']).toEqual([1, 12345678901234567890n, 'x']);
  });

  test('that is none is refused in the words of its parser', async () => {
    expect(await read(reader(), 'a: *b\n')).toEqual({
      kind: 'unreadable',
      message: "yaml: unknown anchor 'b' referenced",
    });
  });

  test('that takes too long is refused, and what waits behind it is read', async () => {
    const by = reader({ limitMs: 1_500 });
    const [first, second] = await Promise.all([read(by, flowList(900_000)), read(by, 'a: &a 1\n')]);
    expect(first).toMatchObject({ kind: 'refused', error: { status: { code: 413 } } });
    expect(second).toEqual({ kind: 'value', value: { a: 1 }, duplicates: [] });
  });

  test('that takes too much memory is refused, and the server lives', async () => {
    const by = reader({ maxHeapMegabytes: 64, limitMs: 60_000 });
    expect(await read(by, flowList(400_000))).toMatchObject({ kind: 'refused' });
    expect(await read(by, 'a: &a 1\n')).toMatchObject({ kind: 'value' });
  });

  test('that nobody waits for any more gives way to what others sent', async () => {
    const by = reader();
    const cancel = by.read(flowList(900_000), () => defects.push('answered'));
    const next = read(by, 'a: &a 1\n');
    cancel();
    expect(await next).toMatchObject({ kind: 'value' });
  });

  test('beyond what may wait is refused at once', async () => {
    const by = reader();
    for (let at = 0; at < 101; at++) by.read('a: &a 1\n', () => undefined);
    expect(await read(by, 'a: &a 1\n')).toMatchObject({ kind: 'refused', error: { status: { code: 429 } } });
  });

  test('does not keep others waiting, and is answered as what it says', async () => {
    const serving = await serve({
      bindAddress: '127.0.0.1',
      httpPort: 0,
      seed: 1,
      speed: 1,
      yamlProgram: program,
      onDefect: (error) => defects.push(error),
    });
    const url = serving.urls[0] ?? '';
    const path = '/api/v1/namespaces/default/configmaps';
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\n';
    const send = (method: string, type: string, to: string, body: string) =>
      fetch(url + to, { method, headers: { 'content-type': type }, body });
    let slowestMs = 0;
    let isOver = false;
    try {
      const others = (async () => {
        while (!isOver) {
          const sentAt = performance.now();
          await (await fetch(`${url}/api/v1/namespaces/default`)).text();
          slowestMs = Math.max(slowestMs, performance.now() - sentAt);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      const created = await send(
        'POST',
        'application/yaml',
        `${path}?fieldValidation=Ignore`,
        head + flowList(50_000),
      );
      expect(created.status).toBe(201);
      const applied = await send(
        'PATCH',
        'application/apply-patch+yaml',
        `${path}/large?fieldManager=m`,
        `${head}data: {a: &a "1", b: *a}\n# ${'x'.repeat(20_000)}\n`,
      );
      expect(applied.status).toBe(200);
      expect(await applied.json()).toMatchObject({ data: { a: '1', b: '1' } });
      const refused = await send('POST', 'application/yaml', path, `${head}x: *a\n# ${'x'.repeat(20_000)}\n`);
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain("yaml: unknown anchor 'a' referenced");
      isOver = true;
      await others;
      // Reading it here would take seconds.
      expect(slowestMs).toBeLessThan(1_000);
    } finally {
      isOver = true;
      await serving.stop();
    }
  });
});
