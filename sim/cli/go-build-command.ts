/**
 * `kubesim go-build`: builds a Go program for the simulation (`GOOS=js GOARCH=wasm`), unchanged. What the standard library
 * lacks for that is laid over for this build: see `go-overlay.ts`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { BACKEND, overlayOf, UnknownGo, withWatcher } from './go-overlay.ts';

export interface GoBuild {
  /** Of the module to be built. */
  readonly directory: string;
  readonly package: string;
  readonly output: string;
}

/** Why a program was not built, for people. */
export class NotBuilt extends Error {
  override readonly name = 'NotBuilt';
}

/** @throws NotBuilt */
export function goBuild({ directory, package: name, output }: GoBuild): void {
  const aside = mkdtempSync(join(tmpdir(), 'kubesim-go-'));
  try {
    const options = [...overlayOptions(directory, aside), ...watcherOptions(directory, aside)];
    go(['build', '-trimpath', ...options, '-ldflags=-s -w', '-o', resolve(output), name], directory);
  } catch (error) {
    throw error instanceof UnknownGo ? new NotBuilt(error.message) : error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function overlayOptions(directory: string, aside: string): readonly string[] {
  const replace = [...overlayOf(go(['env', 'GOROOT'], directory).trim())].map(([path, text], index) => {
    const file = join(aside, `${index}.go`);
    writeFileSync(file, text);
    return [path, file] as const;
  });
  const list = join(aside, 'overlay.json');
  writeFileSync(list, JSON.stringify({ Replace: Object.fromEntries(replace) }));
  return ['-overlay', list];
}

const WATCHERS = 'github.com/fsnotify/fsnotify';

/**
 * Programs watch their files by a library that has nothing for this platform, and end without it. The cache of modules must
 * not be overlaid: a changed copy is put in place of it, in a `go.mod` of this build alone.
 */
function watcherOptions(directory: string, aside: string): readonly string[] {
  const [root = '', work = ''] = go(['env', 'GOMOD', 'GOWORK'], directory).split('\n');
  const library = directoryOf(WATCHERS, directory);
  if (library === undefined || !existsSync(root) || work !== '' || existsSync(join(root, '../vendor')))
    return [];
  const copy = join(aside, 'fsnotify');
  cpSync(library, copy, { recursive: true });
  const changed = withWatcher(readFileSync(join(copy, BACKEND), 'utf8'));
  if (changed === undefined) return [];
  chmodSync(copy, OWNERS);
  rmSync(join(copy, BACKEND), { force: true });
  writeFileSync(join(copy, BACKEND), changed);
  const own = join(aside, 'build.mod');
  writeFileSync(own, `${readFileSync(root, 'utf8')}\nreplace ${WATCHERS} => ${copy}\n`);
  const sums = root.replace(/\.mod$/, '.sum');
  if (existsSync(sums)) cpSync(sums, join(aside, 'build.sum'));
  return ['-modfile', own];
}

const OWNERS = 0o755;

/** Undefined: the program does without it. */
function directoryOf(library: string, directory: string): string | undefined {
  try {
    return go(['list', '-f', '{{.Dir}}', library], directory).trim() || undefined;
  } catch (error) {
    if (error instanceof NotBuilt) return undefined;
    throw error;
  }
}

function go(args: readonly string[], directory: string): string {
  const env = { ...process.env, GOOS: 'js', GOARCH: 'wasm' };
  const { error, status, stdout, stderr } = spawnSync('go', args, {
    cwd: directory,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (error)
    throw new NotBuilt(`go was not started (${error.message}): a Go toolchain of 1.21 or later is needed`);
  if (status !== 0) throw new NotBuilt(`go ${args[0]} ended with ${status}:\n${stderr.trimEnd()}`);
  return stdout;
}

export function goBuildCommand(): Command {
  return new Command('go-build')
    .description(
      'Build a Go program for the simulation, unchanged: a guest of createCluster() by goProgram().',
    )
    .argument('[package]', 'what `go build` is given', '.')
    .requiredOption('-o, --output <file>', 'where the program is written')
    .option('-C, --directory <directory>', 'of the Go module', '.')
    .addHelpText(
      'after',
      `
For example: kubesim go-build ./cmd/operator -o operator.wasm
and then:    cluster.guest('operator', goProgram({ module: 'operator.wasm' }))
Go builds for GOOS=js GOARCH=wasm; GOFLAGS and everything else of its environment hold.`,
    )
    .action(
      (
        name: string,
        { output, directory }: { readonly output: string; readonly directory: string },
        command: Command,
      ) => {
        try {
          goBuild({ directory, package: name, output });
        } catch (error) {
          if (!(error instanceof NotBuilt)) throw error;
          command.error(`error: ${error.message}`, { exitCode: 1 });
        }
      },
    );
}
