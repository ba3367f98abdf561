import { unpackTar as unpackElsewhere } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { packCheckpoint, unpackCheckpoint, type CheckpointedContainer } from './checkpoint-archive.ts';
import { fitsTar, packTar, unpackTar } from './tar-archive.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const CONTAINER: CheckpointedContainer = {
  id: 'c0ffee',
  name: 'main',
  image: 'registry.example/app:v1',
  imageId: 'sha256:1',
  command: ['app'],
  environment: ['A=b'],
  podName: 'web-0',
  podNamespace: 'shop',
  podUid: 'u',
  createdAt: '2025-01-01T00:00:00Z',
  checkpointedAt: '2025-01-01T00:01:00Z',
  restoredFrom: undefined,
  memoryBytes: 1024 * 1024,
  process: { containerId: 'c0ffee', ranSeconds: 60, values: { orders: 7, name: 'ä' } },
};

describe('a tar archive', () => {
  it('holds names of more than 100 bytes, where a slash divides them, and refuses others', async () => {
    const name = `${'d'.repeat(90)}/${'e'.repeat(60)}/${'f'.repeat(95)}`;
    const archive = packTar([{ name, bytes: text('x'), mode: 0o644 }], 0);
    expect(unpackTar(archive)?.map((entry) => entry.name)).toEqual([name]);
    const [entry] = await unpackElsewhere(archive);
    expect(entry?.header.name).toBe(name);
    expect(fitsTar('g'.repeat(101))).toBe(false);
    expect(() => packTar([{ name: 'g'.repeat(101), bytes: text(''), mode: 0o644 }], 0)).toThrow(RangeError);
  });

  it('that holds the files which a container has written gives them back', () => {
    const process = { ...CONTAINER.process, files: { '/tmp/a': text('one'), '/srv/b': text('two') } };
    expect(unpackCheckpoint(packCheckpoint({ ...CONTAINER, process }, 0))?.process).toEqual(process);
  });

  it('is read by another implementation with the same names, modes and bytes', async () => {
    const archive = packTar([{ name: 'a/b.txt', bytes: text('hello'), mode: 0o600 }], 1_700_000_000);
    const [entry] = await unpackElsewhere(archive);
    expect(entry?.header).toMatchObject({ name: 'a/b.txt', size: 5, mode: 0o600, uid: 0 });
    expect(entry?.data).toEqual(text('hello'));
  });

  it('that was cut off anywhere is refused', () => {
    const archive = packTar([{ name: 'a', bytes: text('x'.repeat(700)), mode: 0o600 }], 0);
    for (const length of [100, 512, 900, 1536, archive.length - 1024]) {
      expect(unpackTar(archive.subarray(0, length))).toBeUndefined();
    }
    expect(unpackTar(archive)?.map(({ name }) => name)).toEqual(['a']);
  });
});

describe('a checkpoint', () => {
  it('gives the memory of the process back', () => {
    expect(unpackCheckpoint(packCheckpoint(CONTAINER, 1))).toEqual({
      containerId: 'c0ffee',
      image: 'registry.example/app:v1',
      process: CONTAINER.process,
    });
  });

  it('has the same bytes for the same container', () => {
    expect(packCheckpoint(CONTAINER, 1)).toEqual(packCheckpoint({ ...CONTAINER }, 1));
  });

  it('is readable by root only, every file of it', () => {
    const entries = unpackTar(packCheckpoint(CONTAINER, 1)) ?? [];
    expect(entries.map(({ name }) => name)).toContain('checkpoint/pages-1.img');
    expect(entries.every(({ mode }) => mode === 0o600)).toBe(true);
  });
});
