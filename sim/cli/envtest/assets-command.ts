/**
 * `kubesim assets`: a folder for KUBEBUILDER_ASSETS, with a `kube-apiserver` and an `etcd` that are this very program.
 * Suites that start a control plane out of such a folder (envtest) run unchanged.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { fileProblem } from '../start-problem.ts';

const PROGRAMS = ['kube-apiserver', 'etcd'] as const;
const EXECUTABLE = 0o755;

/** `entry`: the built command line. */
export function assetsCommand(entry: string): Command {
  return new Command('assets')
    .description(
      'Print a folder for KUBEBUILDER_ASSETS: a kube-apiserver and an etcd that are kubesim, for suites that use envtest.',
    )
    .option(
      '--dir <directory>',
      'where to put them (default: a folder of this version in the cache of the user)',
    )
    .addHelpText(
      'after',
      `
For example: KUBEBUILDER_ASSETS=$(kubesim assets) go test ./...
What the suite's options have no words for is in the environment:
  KUBESIM_NODES=3        so many nodes (default: none)
  KUBESIM_CONTROLLERS=*  which controllers run (default: none; with nodes: all)
  KUBESIM_SCHEDULER=     whether pods are given nodes (default: with nodes)
  KUBESIM_SEED=7         seed of every random value
  KUBESIM_CLOCK=x10      pace of the clock: real, xN or manual`,
    )
    .action(({ dir }: { readonly dir?: string }, command: Command) => {
      const folder = dir === undefined ? cachedFolder(entry) : resolve(dir);
      try {
        writePrograms(folder, entry);
      } catch (error) {
        command.error(`error: ${fileProblem('--dir', folder, error)}`);
      }
      process.stdout.write(`${folder}\n`);
    });
}

/** One for each installation: two versions side by side do not take each other's. */
function cachedFolder(entry: string): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const installation = createHash('sha256')
    .update(`${process.execPath}\0${entry}`)
    .digest('hex')
    .slice(0, 12);
  return join(cache, 'kubesim', `assets-${installation}`);
}

/** Whole or not at all: several suites may ask at once. */
function writePrograms(folder: string, entry: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of PROGRAMS) {
    const unfinished = join(folder, `.${name}-${process.pid}`);
    writeFileSync(unfinished, scriptOf(name, entry), { mode: EXECUTABLE });
    renameSync(unfinished, join(folder, name));
  }
}

const scriptOf = (name: string, entry: string): string =>
  `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(entry)} ${name} "$@"\n`;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
