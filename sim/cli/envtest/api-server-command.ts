/**
 * `kubesim kube-apiserver`: `kubesim serve` under the name, with the defaults and the options of the program that
 * suites start: an API server alone, unless the environment asks for nodes or controllers.
 */
import { Command } from 'commander';

type Environment = Readonly<Record<string, string | undefined>>;

/** `serve`: the command that does it. */
export function apiServerCommand(serve: Command): Command {
  serve.exitOverride();
  return new Command('kube-apiserver')
    .description('Serve a simulated API server with the options that suites start kube-apiserver with.')
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[options...]', 'as `kubesim serve` takes them')
    .addHelpText('after', () => `\n${serve.helpInformation()}`)
    .action(async (_words: unknown, _flags: unknown, command: Command) => {
      await serve.parseAsync([...command.args, ...surroundingOptions(process.env)], { from: 'user' });
    });
}

/** What `kubesim serve` has to be told beside what the suite says. */
export function surroundingOptions(environment: Environment): readonly string[] {
  const {
    KUBESIM_NODES: nodes,
    KUBESIM_CONTROLLERS: controllers,
    KUBESIM_SCHEDULER: scheduler,
    KUBESIM_SEED: seed,
    KUBESIM_CLOCK: clock,
  } = environment;
  const options = [...(seed ? ['--seed', seed] : []), ...(clock ? ['--clock', clock] : [])];
  if (!nodes && !controllers) return [...options, '--api-server-only'];
  return [
    ...options,
    ...['--nodes', nodes || '0'],
    ...(controllers ? ['--controllers', controllers] : []),
    `--scheduler=${scheduler || Boolean(nodes)}`,
  ];
}
