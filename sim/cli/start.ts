#!/usr/bin/env node
/**
 * What `kubesim` starts: the command line's compiled modules with the machine code that an earlier start left beside
 * them, because compiling several megabytes anew costs more than a small run. What cannot be kept or read is compiled
 * as ever. A module of a file that others may write to is as safe as the file itself: both lie in the package.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

interface Loaded {
  exports: unknown;
}

type Wrapped = (exports: unknown, require: (name: string) => unknown, module: Loaded, file: string) => void;

const fromNode = createRequire(import.meta.url);
const loaded = new Map<string, Loaded>();
/** Those that were compiled anew, by where their code is to be kept. */
const compiled = new Map<string, Script>();

/** Another Node, or one with other flags, has code of its own. */
const kept = (file: string): string => `${file}.${cachedDataVersionTag().toString(16)}.code`;

function keptCode(file: string): Buffer | undefined {
  try {
    return readFileSync(kept(file));
  } catch {
    return undefined;
  }
}

/** The build writes nothing but ASCII into it, and no `import()`, which code that was kept could not do: programs of scenarios are imported here. */
function compile(file: string): Script {
  const cachedData = keptCode(file);
  const source = `(function (exports, require, module, __filename) {${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  if (!cachedData || script.cachedDataRejected) compiled.set(kept(file), script);
  return script;
}

function load(file: string): unknown {
  const known = loaded.get(file);
  if (known) return known.exports;
  const module: Loaded = { exports: {} };
  loaded.set(file, module);
  const requireFrom = (name: string): unknown =>
    name.startsWith('.')
      ? load(resolve(dirname(file), name))
      : name.startsWith('file:')
        ? { __esModule: true, imported: import(name) }
        : fromNode(name);
  const run = compile(file).runInThisContext() as Wrapped;
  run(module.exports, requireFrom, module, file);
  return module.exports;
}

/** At the end, so that what ran is in it too. Written aside first: several processes may end at once. */
function keepCode(): void {
  for (const [file, script] of compiled) {
    const aside = `${file}.${process.pid}`;
    try {
      writeFileSync(aside, script.createCachedData());
      renameSync(aside, file);
    } catch {
      // A folder of somebody else, or a full disk: the next start compiles as this one did.
      rmSync(aside, { force: true });
      return;
    }
  }
}

process.once('exit', keepCode);
load(fileURLToPath(new URL('cli/main.cjs', import.meta.url)));
