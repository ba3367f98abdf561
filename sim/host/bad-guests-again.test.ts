/** Verdicts on guests the second time: of two of a kind, of those begun anew, as the world ends; and under Node alone. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { OUTLAWS, type Said, saidOf } from './outlaws.fixture.ts';

const KINDS: Readonly<Record<string, Said['kind']>> = {
  'a busy loop': 'never-rests',
  'promises without an end': 'never-rests',
  'a socket': 'escaped',
  'a page': 'escaped',
  'a port': 'escaped',
  'a datagram': 'escaped',
  'a thread': 'escaped',
  'a process': 'escaped',
  'an exit': 'exited',
  'a throw in a timer': 'uncaught',
  'a rejection nobody hears of': 'uncaught',
  'timers by the thousand': 'leaked-timers',
  'a file, awaited': 'outside-turn',
  'a folder, awaited': 'outside-turn',
  'packing on another thread': 'outside-turn',
  'a digest on another thread': 'outside-turn',
};

function fail(): never {
  throw new Error('there is no such guest');
}

const said: Record<string, readonly (Said | undefined)[]> = {};

it.each(Object.entries(OUTLAWS))('each of two gets its own verdict, in each life: %s', async (name, act) => {
  const heard: unknown[] = [];
  const hear = (error: unknown): void => void heard.push(error);
  process.on('unhandledRejection', hear);
  const verdicts = (said[name] = await saidOf(act));
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', hear);
  expect(heard).toEqual([]);
  expect(process.exitCode).toBeUndefined();
  const [, , , , more] = verdicts;
  expect(more).toBeUndefined();
  const told = verdicts.slice(0, 4).map((each) => [each?.guest, each?.kind]);
  const [one, other] = ['guest/one', 'guest/other'].map((guest) => [guest, KINDS[name]]);
  expect(told).toEqual([one, other, one, other]);
  for (const verdict of verdicts.slice(0, 4))
    expect(verdict?.message).toMatch(/^guest\/[a-z]+: .*\(at [0-9]+\.\d{6}s of virtual time\)$/);
  expect(verdicts[0]?.message).toMatch(/\(at 2\.00\d{4}s/);
});

it('another copy of the program hears of real work, too, after code was broken off amid anything', async () => {
  await saidOf(OUTLAWS['promises without an end'] ?? fail);
  vi.resetModules();
  const { OUTLAWS: others, saidOf: saidByOther } = await import('./outlaws.fixture.ts');
  expect(saidByOther).not.toBe(saidOf);
  const verdicts = await saidByOther(others['a file, awaited'] ?? fail);
  expect(verdicts.slice(0, 4).map((each) => each?.kind)).toEqual(Array(4).fill('outside-turn'));
});

it('Node alone says the same', async () => {
  const args = ['--import', 'tsx', join(import.meta.dirname, 'outlaws.fixture.ts')];
  const { NODE_OPTIONS: _, VITEST: _vitest, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(said)));
}, 120_000);
