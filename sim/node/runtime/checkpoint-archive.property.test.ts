/**
 * Checkpoints of any container: what was written is read back, by this reader and by another one; what was cut off, has lost
 * an entry or has other bytes in its headers is refused or says the same, and never something else.
 */
import fc from 'fast-check';
import { unpackTar as unpackElsewhere } from 'modern-tar';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { type CheckpointedContainer, packCheckpoint, unpackCheckpoint } from './checkpoint-archive.ts';
import { memoryPages, PAGE_BYTES, processStateOf, type ProcessState } from './process-memory.ts';
import { fitsTar, packTar, type TarEntry, unpackTar } from './tar-archive.ts';

const BLOCK = 512;
const word = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'é', '"', '7'), minLength: 1, maxLength: 12 });
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  // About a block, where padding begins and ends.
  fc.integer({ min: BLOCK - 1, max: BLOCK + 1 }).map((length) => new Uint8Array(length).fill(7)),
);
const path = fc
  .array(fc.constantFrom('a', 'etc', 'd'.repeat(50), 'e'.repeat(90), 'ä'), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('/'));
const entries = fc.uniqueArray(
  fc.record<TarEntry>({ name: path, bytes, mode: fc.constantFrom(0o600, 0o644) }),
  {
    maxLength: 5,
    selector: ({ name }) => name,
  },
);
const values = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.boolean()), {
  maxKeys: 5,
  noNullPrototype: true,
});
const files = fc
  .uniqueArray(fc.tuple(path.filter(fitsTar), bytes), { maxLength: 3, selector: ([name]) => name })
  .map((all) => Object.fromEntries(all.map(([name, each]) => [`/${name}`, each])));
const process = fc
  .record({ containerId: word, ranSeconds: fc.nat(100_000), values, files })
  .map(({ files: written, ...state }): ProcessState =>
    Object.keys(written).length > 0 ? { ...state, files: written } : state,
  );
const container: fc.Arbitrary<CheckpointedContainer> = fc.record({
  id: word,
  name: word,
  image: word,
  imageId: word,
  command: fc.array(word, { maxLength: 2 }),
  environment: fc.array(word, { maxLength: 2 }),
  podName: word,
  podNamespace: word,
  podUid: word,
  createdAt: fc.constant('2025-01-01T00:00:00Z'),
  checkpointedAt: fc.constant('2025-01-01T00:01:00Z'),
  restoredFrom: fc.option(word, { nil: undefined }),
  memoryBytes: fc.constantFrom(0, 1, PAGE_BYTES, 3 * PAGE_BYTES + 1, 2 ** 30),
  process,
});
const nowSeconds = fc.constantFrom(0, 1, 1_700_000_000);

it('are archives that say what was put into them, by whomever they are read', async () => {
  await fc.assert(
    fc.asyncProperty(entries, nowSeconds, async (drawn, seconds) => {
      const [fitting, long] = [
        drawn.filter(({ name }) => fitsTar(name)),
        drawn.find(({ name }) => !fitsTar(name)),
      ];
      if (long) expect(() => packTar([long], seconds)).toThrow(RangeError);
      const archive = packTar(fitting, seconds);
      expect(archive.length % BLOCK).toBe(0);
      expect(unpackTar(archive)).toEqual(fitting);
      const elsewhere = await unpackElsewhere(archive);
      expect(
        elsewhere.map(({ header, data = new Uint8Array() }) => ({
          name: header.name,
          bytes: new Uint8Array(data),
          mode: header.mode,
        })),
      ).toEqual(fitting);
      for (const { header } of elsewhere) expect(header.mtime?.getTime()).toBe(seconds * 1_000);
    }),
    asOftenAs(100),
  );
});

it('keep the memory of a process in whole pages', () => {
  fc.assert(
    fc.property(process, fc.constantFrom(0, 1, PAGE_BYTES, 100 * PAGE_BYTES), (state, memoryBytes) => {
      const { files: _, ...kept } = state;
      const pages = memoryPages(state, memoryBytes);
      expect(pages.length % PAGE_BYTES).toBe(0);
      expect(pages.length).toBeGreaterThanOrEqual(Math.min(64 * PAGE_BYTES, memoryBytes));
      expect(processStateOf(pages)).toEqual(kept);
      expect(processStateOf(pages.subarray(0, PAGE_BYTES - 1))).toBeUndefined();
    }),
    asOftenAs(100),
  );
});

it('give back what the container was', () => {
  fc.assert(
    fc.property(container, nowSeconds, (drawn, seconds) => {
      const archive = packCheckpoint(drawn, seconds);
      expect(unpackCheckpoint(archive)).toEqual({
        containerId: drawn.id,
        image: drawn.image,
        process: drawn.process,
      });
      const config = json(archive, 'config.dump');
      expect(config['restoredFrom']).toBe(drawn.restoredFrom);
      expect(json(archive, 'spec.dump')).toMatchObject({
        process: { args: drawn.command, env: drawn.environment },
        hostname: drawn.podName,
      });
    }),
    asOftenAs(60),
  );
});

it('with other bytes in them end nobody who reads them', () => {
  const others = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(container, others, (drawn, changes) => {
      const pages = memoryPages(drawn.process, 0);
      for (const [at, by] of changes) pages[at % 200] = (pages[at % 200] ?? 0) ^ by;
      const state = processStateOf(pages);
      if (state)
        expect(Object.keys(state)).toEqual(expect.arrayContaining(['containerId', 'ranSeconds', 'values']));
    }),
    asOftenAs(300),
  );
});

it('that are damaged are refused, or say the same', () => {
  const damage = fc.oneof(
    fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('header' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('byte' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('entry' as const), at: fc.nat() }),
  );
  fc.assert(
    fc.property(container, damage, (drawn, { kind, at }) => {
      const whole = packCheckpoint(drawn, 0);
      const all = unpackTar(whole) ?? [];
      if (kind === 'cut') {
        // The blocks at the end are empty: what is there is whole without them.
        const length = at % (whole.length - 2 * BLOCK);
        expect(unpackCheckpoint(whole.subarray(0, length))).toBeUndefined();
      } else if (kind === 'header') {
        // Blanks around the sum say nothing.
        const found = unpackTar(withOtherByte(whole, at % BLOCK));
        if (found) expect(found).toEqual(all);
      } else if (kind === 'byte') {
        // Most bytes are of entries that a restore does not need, or of texts that may be others.
        const read = unpackCheckpoint(withOtherByte(whole, at % (2 * BLOCK)));
        if (read) expect(read.process).toEqual(drawn.process);
      } else {
        const without = all[at % all.length];
        const rest = packTar(
          all.filter((entry) => entry !== without),
          0,
        );
        const isNeeded = without?.name === 'config.dump' || without?.name === 'checkpoint/pages-1.img';
        if (isNeeded) expect(unpackCheckpoint(rest)).toBeUndefined();
        else expect(unpackCheckpoint(rest)?.containerId).toBe(drawn.id);
      }
    }),
    asOftenAs(200),
  );
});

function withOtherByte(archive: Uint8Array, at: number): Uint8Array {
  const broken = archive.slice();
  broken[at] = (broken[at] ?? 0) ^ 0x11;
  return broken;
}

function json(archive: Uint8Array, name: string): Readonly<Record<string, unknown>> {
  const entry = unpackTar(archive)?.find((each) => each.name === name);
  return JSON.parse(new TextDecoder().decode(entry?.bytes)) as Readonly<Record<string, unknown>>;
}
