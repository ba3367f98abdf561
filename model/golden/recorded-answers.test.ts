/**
 * Replays the recorded answers of a real server. A case that is known to differ stands in
 * `known-differences.json` with the reason; it fails the suite once it passes.
 * `GOLDEN_UPDATE=1` writes the list anew and keeps the reasons that are in it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { VirtualServer, type VirtualServerOptions } from '../../sim/cli/golden/virtual-server.ts';
import type { Difference } from './replay/compare.ts';
import type { GoldenCase, Profile } from './replay/golden-case.ts';
import { replayCase } from './replay/replay-case.ts';

const CASES = join(import.meta.dirname, 'cases');
const KNOWN_FILE = join(import.meta.dirname, 'known-differences.json');
const PROFILES: Readonly<Partial<Record<Profile, VirtualServerOptions>>> = {
  default: {},
  alpha: { featureGates: 'AllAlpha=true,WatchList=true', runtimeConfig: 'api/all=true' },
  'quick-compaction': { compactionIntervalMs: 5_000 },
  full: { hasControllers: true },
};
const SHOWN = 5;

const isUpdating = process.env['GOLDEN_UPDATE'] === '1';
const known: Readonly<Record<string, string>> = existsSync(KNOWN_FILE)
  ? (JSON.parse(readFileSync(KNOWN_FILE, 'utf8')) as Record<string, string>)
  : {};
const areas = readdirSync(CASES).sort().map((file) => file.replace(/\.jsonl$/, ''));

function casesOf(area: string): readonly GoldenCase[] {
  const lines = readFileSync(join(CASES, `${area}.jsonl`), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as GoldenCase);
}

const shorten = (value: unknown): string => (JSON.stringify(value) ?? '<absent>').slice(0, 300);

const describeDifference = ({ step, action, path, expected, got }: Difference): string =>
  `step ${step} ${action} at ${path || '/'}: expected ${shorten(expected)}, got ${shorten(got)}`;

/** A reason that somebody wrote, not one that an earlier renewal took from the first difference. */
const writtenReason = (name: string): string | undefined => (known[name]?.startsWith('step ') ? undefined : known[name]);

const found = new Map<string, string>();

describe.each(areas)('recorded answers: %s', (area) => {
  const servers = new Map<Profile, VirtualServer>();
  const serverOf = (profile: Profile): VirtualServer => {
    const server = servers.get(profile) ?? new VirtualServer(PROFILES[profile]);
    servers.set(profile, server);
    return server;
  };
  const cases = casesOf(area).filter(({ profile = 'default' }) => PROFILES[profile]);

  test.each(cases.map((golden, index) => [golden.name, golden, index] as const))('%s', (name, golden, index) => {
    const unique = `${area.replaceAll('-', '').slice(0, 3)}${String(index).padStart(4, '0')}`;
    const differences = replayCase(golden, serverOf(golden.profile ?? 'default'), unique);
    const [first] = differences;
    if (first) found.set(name, writtenReason(name) ?? describeDifference(first));
    if (isUpdating) return;
    const isKnown = known[name] !== undefined;
    if (isKnown) expect(differences, `${name} passes now: take it out of known-differences.json`).not.toEqual([]);
    else expect(differences.slice(0, SHOWN).map(describeDifference)).toEqual([]);
  });
});

test('every known difference is of a case that is there', () => {
  const names = new Set(areas.flatMap(casesOf).map(({ name }) => name));
  expect(Object.keys(known).filter((name) => !names.has(name))).toEqual([]);
});

afterAll(() => {
  if (!isUpdating) return;
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(KNOWN_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
});
