import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCluster, goProgram, seconds } from '../../index.ts';
import { withExportedGlobals } from './exported-globals.ts';
import { GoInstance, type GoLifeOptions, SHOWN } from './go-instance.ts';
import type { ProgramTime } from './program-time.ts';
import { fromImage, NoImage, stateOf, takeImage } from './start-up-image.ts';
import { wasm } from './web-assembly.ts';

const bytes = brotliDecompressSync(readFileSync(join(import.meta.dirname, 'probe/probe.wasm.br')));
const module = new wasm.Module(withExportedGlobals(bytes, SHOWN));
const PROGRAM = { name: 'probe', args: ['born'] };

const optionsAt = ({ wallMs, elapsedMs }: ProgramTime): GoLifeOptions => ({
  ...PROGRAM,
  output: () => undefined,
  exited: () => undefined,
  serve: () => undefined,
  ambience: {
    wallMs: () => wallMs,
    elapsedMs: () => elapsedMs,
    fill: (into) => void into.fill(7),
    ask: () => () => undefined,
    escapes: () => undefined,
    holdsTimers: () => undefined,
    after: () => () => undefined,
  },
});

const UPPER_HALF = 2n ** 32n;

/** Words that differ; what is left of a time on a stack, its upper half alone, may be one less. */
function differences(again: Uint8Array, anew: Uint8Array): readonly string[] {
  const [words, others] = [new BigUint64Array(again.buffer), new BigUint64Array(anew.buffer)];
  return [...words.entries()]
    .filter(([at, word]) => word !== others[at] && BigInt.asUintN(64, word + UPPER_HALF) !== others[at])
    .map(([at, word]) => `${at * 8}: ${word} ${others[at]}`);
}

function initializedAt(time: ProgramTime): GoInstance {
  const instance = new GoInstance(module, optionsAt(time));
  instance.initialize();
  return instance;
}

describe('an image of a Go program that is initialized', () => {
  const image = takeImage(module, PROGRAM);

  it.each<ProgramTime>([
    { wallMs: Date.UTC(2025, 0, 1), elapsedMs: 0 },
    { wallMs: Date.UTC(2026, 5, 7) + 1_234, elapsedMs: 777_001 },
    { wallMs: Date.UTC(1999, 11, 31), elapsedMs: 31_536_000_000 },
    { wallMs: Date.UTC(2150, 2, 3) + 999, elapsedMs: 1 },
  ])('is at $wallMs, word by word, what is initialized then', (time) => {
    const anew = stateOf(initializedAt(time));
    const again = stateOf(fromImage(module, image, optionsAt(time)));
    expect(differences(again.memory, anew.memory)).toEqual([]);
    expect({ ...again, memory: 0 }).toEqual({ ...anew, memory: 0 });
  });

  it('is not taken of a program that does not tell when it is initialized, or whose state cannot be seen', () => {
    expect(() => takeImage(new wasm.Module(bytes), PROGRAM)).toThrow(NoImage);
  });
});

/** What lives say of themselves; each is given three seconds. */
async function lives(keepsImage: boolean, count = 3, seed = 1): Promise<readonly string[]> {
  const lines: string[] = [];
  const cluster = createCluster({ seed, controllers: [] });
  const output = (line: string): void => void lines.push(line);
  cluster.guest('probe', goProgram({ module: bytes, args: ['born'], output, keepsImage }));
  await cluster.guests.advance(seconds(3));
  for (let life = 1; life < count; life++) {
    cluster.faults.crash('guest/probe');
    cluster.faults.restart('guest/probe');
    await cluster.guests.advance(seconds(3));
  }
  return [...lines, cluster.digest];
}

describe('a life that begins from an image', () => {
  it('is the same as one that was initialized by itself', async () => {
    const [told, again] = [await lives(true), await lives(false)];
    expect(told).toEqual(again);
    expect(told.filter((line) => line === 'aged 2.5s')).toHaveLength(3);
    expect(told[2]).toMatch(/^2025-01-01T00:00:03Z 0s /);
    expect(told[4]).toMatch(/^2025-01-01T00:00:06Z 0s /);
  });

  it('has chance of its own', async () => {
    const chances = (await lives(true)).filter((line) => line.endsWith(']')).map((line) => line.slice(24));
    expect(new Set(chances).size).toBe(3);
    expect(await lives(true, 2, 2)).not.toEqual(await lives(true, 2, 3));
  });
});

describe('second times', () => {
  const begun = (lines: string[]) => {
    const cluster = createCluster({ seed: 1, controllers: [] });
    const output = (line: string): void => void lines.push(line);
    cluster.guest('probe', goProgram({ module: bytes, args: ['born'], output }));
    return cluster;
  };

  it('a crash before the first turn, and two restarts of which one never runs, leave nothing behind', async () => {
    const lines: string[] = [];
    const cluster = begun(lines);
    const { faults } = cluster;
    faults.crash('guest/probe');
    await cluster.guests.advance(seconds(1));
    expect(lines).toEqual([]);
    for (let life = 0; life < 2; life++) {
      faults.restart('guest/probe');
      faults.crash('guest/probe');
    }
    faults.restart('guest/probe');
    await cluster.guests.advance(seconds(3));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^2025-01-01T00:00:01Z 0s /);
  });

  it('a fork of a fork has lived both of its pasts, lives that began from an image among them', async () => {
    const lines: string[] = [];
    const cluster = begun(lines);
    for (let life = 0; life < 3; life++) {
      await cluster.guests.advance(seconds(3));
      cluster.faults.crash('guest/probe');
      cluster.faults.restart('guest/probe');
    }
    await cluster.guests.advance(seconds(1));
    const said = lines.splice(0);
    const fork = await cluster.guests.fork({ seed: 5 });
    expect([fork.digest, lines.splice(0)]).toEqual([cluster.digest, said]);
    await fork.guests.advance(seconds(2));
    lines.length = 0;
    const again = await fork.guests.fork({ seed: 6 });
    expect(again.digest).toBe(fork.digest);
    expect(lines).toEqual([...said, 'aged 2.5s']);
  });
});

describe('a program that is made again of its file', () => {
  it('runs each time, and is told when the file is none any more', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kubesim-go-')), 'program.wasm');
    writeFileSync(file, bytes);
    const lines: string[] = [];
    const cluster = createCluster({ controllers: [] });
    cluster.guest('probe', (guest) =>
      goProgram({ module: file, args: ['exit', '0'], output: (line) => lines.push(line) })(guest),
    );
    await cluster.guests.advance(seconds(1));
    for (let life = 0; life < 3; life++) {
      cluster.faults.crash('guest/probe');
      cluster.faults.restart('guest/probe');
      await cluster.guests.advance(seconds(1));
    }
    writeFileSync(file, 'no module any more');
    expect(() => goProgram({ module: file })).toThrow('WebAssembly.Module()');
  });
});

describe('globals that are shown', () => {
  it('leave a module without any as it is', () => {
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    expect(withExportedGlobals(empty, SHOWN)).toBe(empty);
  });

  it('are all the state beside the memory', () => {
    expect(initializedAt({ wallMs: 0, elapsedMs: 0 }).globals).toHaveLength(8);
  });
});
