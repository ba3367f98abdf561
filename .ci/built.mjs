// Whether what is built is as new as its sources. Needs nothing but Node.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = [
  'sim',
  'scenarios',
  'model',
  'reports',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'rolldown.config.ts',
  '.ci/spread-members.ts',
];

export const modifiedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Newest change among files below `path`, outputs and tests left aside. */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return /\.(test|contract|fixture|arbitrary)\.ts$/.test(path) ? 0 : stats.mtimeMs;
  return readdirSync(path)
    .filter(
      (name) => !['latest', 'out', 'golden', 'node_modules', 'history.json', 'bench.json'].includes(name),
    )
    .reduce((time, name) => Math.max(time, newest(join(path, name))), 0);
}

export const isBuilt = () =>
  modifiedAt(join(root, 'dist/cli.js')) >= Math.max(...SOURCES.map((name) => newest(join(root, name))));
