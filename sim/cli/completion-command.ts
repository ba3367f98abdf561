/** `kubesim completion`: scripts with which shells complete commands, options and their values. */
import { Argument, Command, type Option } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `loadAll`: every command in full. */
export function completionCommand(loadAll: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'whose script').choices([...SHELLS]))
    .addHelpText('after', '\nFor example: source <(kubesim completion bash)')
    .action(async (shell: string) => {
      const commands = await loadAll();
      process.stdout.write(shell === 'fish' ? fishScript(commands) : bashScript(commands, shell === 'zsh'));
    });
}

const visible = ({ options }: Command): readonly Option[] => options.filter(({ hidden }) => !hidden);

const flagsOf = (command: Command): string[] => visible(command).flatMap(({ long }) => (long ? [long] : []));

/** zsh takes it too, once it has been told that it is one of bash. */
function bashScript(commands: readonly Command[], isForZsh: boolean): string {
  const cases = commands.map((command) => {
    const words = [...command.commands.map((each) => each.name()), ...flagsOf(command)];
    for (const each of command.commands) words.push(...flagsOf(each));
    return `    ${command.name()}) words="${[...new Set(words)].join(' ')}" ;;`;
  });
  const values = commands.flatMap((command) =>
    visible(command).flatMap(({ long, argChoices }) =>
      long && argChoices ? [`    ${long}) words="${argChoices.join(' ')}"; isValue=1 ;;`] : [],
    ),
  );
  return `${isForZsh ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_kubesim() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" isValue=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map((command) => command.name()).join(' ')} help --version --help"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
    case "$previous" in
${[...new Set(values)].join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$isValue$current" in
    1*|-*) ;;
    *) COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _kubesim kubesim
`;
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`;
  const lines = commands.flatMap((command) => [
    `complete -c kubesim -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
    ...command.commands.map(
      (each) =>
        `complete -c kubesim -n '__fish_seen_subcommand_from ${command.name()}' -a ${each.name()} -d ${quoted(each.description())}`,
    ),
    ...[command, ...command.commands].flatMap((each) =>
      visible(each).flatMap(({ long, description, argChoices, required }) => {
        if (!long) return [];
        const value = argChoices ? ` -xa ${quoted(argChoices.join(' '))}` : required ? ' -r' : '';
        return [
          `complete -c kubesim -n '__fish_seen_subcommand_from ${command.name()}' -l ${long.slice(2)}${value} -d ${quoted(description)}`,
        ];
      }),
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
