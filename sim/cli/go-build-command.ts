/**
 * `kubesim go-build`: builds a Go program for the simulation (`GOOS=js GOARCH=wasm`), unchanged. Go's own HTTP asks the host
 * only where nobody set how connections are made, and client-go always does: one file of the standard library is laid over
 * for this build.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';

export interface GoBuild {
  /** Of the module to be built. */
  readonly directory: string;
  readonly package: string;
  readonly output: string;
}

const ROUND_TRIP = 'src/net/http/roundtrip_js.go';
/** How connections are made is no reason not to ask the host. */
const DIALLED = /if (?:t\.Dial\w* != nil \|\| )+/;

/** Why a program was not built, for people. */
export class NotBuilt extends Error {
  override readonly name = 'NotBuilt';
}

/** @throws NotBuilt */
export function goBuild({ directory, package: name, output }: GoBuild): void {
  const root = go(['env', 'GOROOT'], directory).trim();
  const overlay = mkdtempSync(join(tmpdir(), 'kubesim-go-'));
  try {
    const source = join(root, ROUND_TRIP);
    const text = readFileSync(source, 'utf8');
    if (!DIALLED.test(text))
      throw new NotBuilt(`${source} is not as Go 1.21 to 1.26 have it: HTTP would not reach the simulation`);
    writeFileSync(join(overlay, 'roundtrip_js.go'), text.replace(DIALLED, 'if '));
    const list = join(overlay, 'overlay.json');
    writeFileSync(list, JSON.stringify({ Replace: { [source]: join(overlay, 'roundtrip_js.go') } }));
    go(['build', '-trimpath', '-overlay', list, '-ldflags=-s -w', '-o', resolve(output), name], directory);
  } finally {
    rmSync(overlay, { recursive: true, force: true });
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
