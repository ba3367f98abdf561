/**
 * The command line of kubesim: the one place where everything is put together. A command's code is loaded when the
 * command is used, so that small runs start fast.
 */
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };

/** What was started, and is to be started again for workers. */
const entry = realpathSync(process.argv[1] ?? '.');
/** Built beside it. */
const yamlProgram = new URL('yaml-worker.js', pathToFileURL(entry));
const httpProgram = new URL('http-worker.js', pathToFileURL(entry));

interface CommandFact {
  readonly summary: string;
  /** Stands in for a program of that name, so that nobody looks for it in the overview. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, CommandFact>> = {
  run: {
    summary: 'run scenarios and report what did not hold',
    load: async () => (await import('./run-command.ts')).runCommand(entry),
  },
  explore: {
    summary: 'look for what breaks scenarios and properties',
    load: async () => (await import('./explore-command.ts')).exploreCommand(),
  },
  replay: {
    summary: 'run a recorded failure again',
    load: async () => (await import('./replay-command.ts')).replayCommand(),
  },
  report: {
    summary: 'put the reports of shards together',
    load: async () => (await import('./report-command.ts')).reportCommand(),
  },
  serve: {
    summary: 'serve a simulated control plane on a real port',
    load: async () => (await import('./serve-command.ts')).serveCommand(yamlProgram),
  },
  verify: {
    summary: 'compare the simulation with a real cluster',
    load: async () => (await import('./verify-command.ts')).verifyCommand({ entry, httpProgram }),
  },
  deprecations: {
    summary: 'find out what an upgrade breaks',
    load: async () => (await import('./deprecations/deprecations-command.ts')).deprecationsCommand(),
  },
  assets: {
    summary: 'print a folder for KUBEBUILDER_ASSETS, for suites that use envtest',
    load: async () => (await import('./envtest/assets-command.ts')).assetsCommand(entry),
  },
  'go-build': {
    summary: 'build a Go program that runs within the simulation',
    load: async () => (await import('./go-build-command.ts')).goBuildCommand(),
  },
  'kube-apiserver': {
    summary: 'serve a simulated API server with the options of kube-apiserver',
    isHidden: true,
    load: async () => {
      const { serveCommand } = await import('./serve-command.ts');
      return (await import('./envtest/api-server-command.ts')).apiServerCommand(serveCommand(yamlProgram));
    },
  },
  etcd: {
    summary: 'stand where a suite starts an etcd',
    isHidden: true,
    load: async () => (await import('./envtest/etcd-command.ts')).etcdCommand(),
  },
  bench: {
    summary: 'measure the speed of the simulator',
    load: async () => (await import('./bench-command.ts')).benchCommand(),
  },
  schema: {
    summary: 'print the JSON Schema or the reference of the scenario language',
    load: async () => (await import('./schema-command.ts')).schemaCommand(),
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion-command.ts')).completionCommand(everyCommand),
  },
};

async function everyCommand(): Promise<readonly Command[]> {
  const others = Object.entries(COMMANDS).filter(
    ([name, { isHidden }]) => !isHidden && name !== 'completion',
  );
  return Promise.all(others.map(([, { load }]) => load()));
}

/** The chosen command in full; of the others only what the overview says of them. */
async function program(chosen: string | undefined): Promise<Command> {
  const whole = new Command('kubesim')
    .description('A whole Kubernetes-style control plane as one deterministic simulation.')
    .version(packageJson.version)
    .showHelpAfterError('(--help says more)')
    .exitOverride();
  for (const [name, { summary, load, isHidden = false }] of Object.entries(COMMANDS)) {
    const command = name === chosen ? await load() : new Command(name).description(summary);
    whole.addCommand(command.exitOverride().showHelpAfterError('(--help says more)'), { hidden: isHidden });
  }
  return whole;
}

const BAD_INPUT = 2;

async function main(): Promise<void> {
  if (process.argv[2] === 'worker' && process.send) return (await import('./run/worker.ts')).runWorker();
  const chosen = process.argv[2] === 'help' ? process.argv[3] : process.argv[2];
  try {
    await (await program(chosen)).parseAsync();
  } catch (error) {
    // Commander has said what is wrong; asking for help is nothing wrong.
    if (!(error instanceof Error && 'exitCode' in error)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : BAD_INPUT;
  }
}

/** Who reads (`| head`) may go before all is said: that is no failure, and the exit code stays what the work came to. */
function surviveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

surviveReaders();
void main();
