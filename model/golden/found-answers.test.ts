/** Replays what random requests to a real server were answered, where `kubesim verify` found it worth keeping. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VirtualServer } from '../../sim/cli/golden/virtual-server.ts';
import type { GoldenCase } from './replay/golden-case.ts';
import { replayCase } from './replay/replay-case.ts';

const FOUND = join(import.meta.dirname, 'found');
const SHOWN = 10;
const TIMEOUT_MS = 120_000;

test.each(readdirSync(FOUND).sort())('random requests are answered as the real server does: %s', (file) => {
  const server = new VirtualServer();
  const lines = readFileSync(join(FOUND, file), 'utf8').trimEnd().split('\n');
  const differences = lines.flatMap((line, index) => {
    const golden = JSON.parse(line) as GoldenCase;
    const [first] = replayCase(golden, server, `f${String(index).padStart(6, '0')}`);
    return first ? [{ name: golden.name, ...first }] : [];
  });
  expect(differences.slice(0, SHOWN)).toEqual([]);
}, TIMEOUT_MS);
