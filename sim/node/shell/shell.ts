/**
 * Runs scripts. Commands of a pipeline run one after the other, each with what the one before has written; nothing runs in
 * the background. Programs, files and time are the host's. A script that goes round without end at one instant is broken off.
 */
import type { Process } from '../../engine/process.ts';
import { expandedWords, fits, textOfWord, type Values } from './expand.ts';
import { parseScript } from './parse-script.ts';
import { redirected, type ShellStreams } from './redirect.ts';
import { type End, type ShellHost, ShellState } from './shell-state.ts';
import { builtin } from './state-builtins.ts';
import { Input, Output, type Streams } from './streams.ts';
import { type Command, notModelled, type Pipeline, type Script } from './syntax.ts';

type CommandOf<K extends Command['kind']> = Extract<Command, { readonly kind: K }>;

const NOT_FOUND_EXIT = 127;
const USAGE_EXIT = 2;
const MAX_CALLS = 100;

export class Shell {
  readonly #state: ShellState;
  /** How many scripts it has taken the output of. */
  #outputs = 0;

  private constructor(state: ShellState) {
    this.#state = state;
  }

  /** `given`: `$1` and what follows. */
  static at(host: ShellHost, given: readonly string[] = []): Shell {
    return new Shell(new ShellState(host, given));
  }

  get exitCode(): number {
    return this.#state.exitCode;
  }

  /** Whether it said `exit`. `input`: of which lines were read before. @throws ShellSyntaxError */
  *run(script: Script, streams: Streams, input = new Input(() => streams.read())): Process<boolean> {
    const end = yield* this.#script(script, {
      write: (piece) => streams.write(piece),
      writeError: (text) => streams.writeError(text),
      input,
      read: () => input.read(),
    });
    return end.leaves?.what === 'script';
  }

  #fork(): Shell {
    return new Shell(this.#state.fork());
  }

  *#script(script: Script, streams: ShellStreams): Process<End> {
    for (const [index, pipeline] of script.entries()) {
      const { when } = pipeline;
      if (when === 'succeeded' ? this.#state.exitCode !== 0 : when === 'failed' && this.#state.exitCode === 0)
        continue;
      const isAsked = pipeline.isNegated || (script[index + 1]?.when ?? 'always') !== 'always';
      const run = this.#pipeline(pipeline, streams);
      const { exitCode, leaves } = yield* isAsked ? this.#leniently(run) : run;
      this.#state.exitCode = exitCode;
      if (leaves) return { exitCode, leaves };
      const mayEnd = this.#state.endsOnFailure && !this.#state.isAsked && !isAsked;
      if (mayEnd && exitCode !== 0 && isLookedAt(pipeline))
        return { exitCode, leaves: { what: 'script', levels: 0 } };
    }
    return { exitCode: this.#state.exitCode };
  }

  *#pipeline({ commands, isNegated }: Pipeline, streams: ShellStreams): Process<End> {
    let { input } = streams;
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1;
      const output = new Output();
      const own: ShellStreams = {
        write: isLast ? streams.write : (piece) => output.write(piece),
        writeError: streams.writeError,
        input,
        read: () => input.read(),
      };
      // Each part of a pipeline has variables of its own.
      const shell = commands.length === 1 ? this : this.#fork();
      const end = yield* shell.#command(command, own);
      if (!isLast) {
        input = Input.of(output.bytes);
        continue;
      }
      const exitCode = isNegated && !end.leaves ? Number(end.exitCode === 0) : end.exitCode;
      return commands.length > 1 ? { exitCode } : { ...end, exitCode };
    }
    return { exitCode: 0 };
  }

  *#command(command: Command, streams: ShellStreams): Process<End> {
    if (command.redirections.length === 0) return yield* this.#plain(command, streams);
    const instead = yield* redirected(command.redirections, streams, this.#values(streams), this.#state.host);
    if (!instead) return { exitCode: USAGE_EXIT };
    const end = yield* this.#plain(command, instead.streams);
    instead.close();
    return end;
  }

  *#plain(command: Command, streams: ShellStreams): Process<End> {
    switch (command.kind) {
      case 'simple':
        return yield* this.#simple(command, streams);
      case 'group':
        return yield* this.#script(command.body, streams);
      case 'subshell': {
        const shell = this.#fork();
        return { exitCode: (yield* shell.#script(command.body, streams)).exitCode };
      }
      case 'if':
        return yield* this.#if(command, streams);
      case 'while':
      case 'until':
        return yield* this.#while(command, streams);
      case 'for':
        return yield* this.#for(command, streams);
      case 'case':
        return yield* this.#case(command, streams);
      case 'function':
        this.#state.functions.set(command.name, command.body);
        return { exitCode: 0 };
    }
  }

  /** A failure in a condition ends nothing. */
  #condition(script: Script, streams: ShellStreams): Process<End> {
    return this.#leniently(this.#script(script, streams));
  }

  *#leniently(run: Process<End>): Process<End> {
    const { isAsked } = this.#state;
    this.#state.isAsked = true;
    const end = yield* run;
    this.#state.isAsked = isAsked;
    return end;
  }

  *#if({ branches, otherwise = [] }: CommandOf<'if'>, streams: ShellStreams): Process<End> {
    for (const { condition, body } of branches) {
      const end = yield* this.#condition(condition, streams);
      if (end.leaves) return end;
      if (end.exitCode === 0) return yield* this.#script(body, streams);
    }
    this.#state.exitCode = 0;
    return yield* this.#script(otherwise, streams);
  }

  *#while({ kind, condition, body }: CommandOf<'while' | 'until'>, streams: ShellStreams): Process<End> {
    let exitCode = 0;
    for (;;) {
      this.#state.roundBegins();
      const asked = yield* this.#inLoop(this.#condition(condition, streams));
      if (goesOn(asked)) continue;
      if (asked.leaves) return left(asked);
      if ((asked.exitCode === 0) !== (kind === 'while')) return { exitCode };
      const end = yield* this.#round(body, streams);
      ({ exitCode } = end);
      if (end.leaves) return left(end);
    }
  }

  *#for({ name, words, body }: CommandOf<'for'>, streams: ShellStreams): Process<End> {
    let exitCode = 0;
    for (const value of words ? yield* expandedWords(words, this.#values(streams)) : this.#state.given) {
      this.#state.variables.set(name, value);
      const end = yield* this.#round(body, streams);
      ({ exitCode } = end);
      if (end.leaves) return left(end);
    }
    return { exitCode };
  }

  *#round(body: Script, streams: ShellStreams): Process<End> {
    const end = yield* this.#inLoop(this.#script(body, streams));
    return goesOn(end) ? { exitCode: end.exitCode } : end;
  }

  *#inLoop(part: Process<End>): Process<End> {
    this.#state.loops++;
    const end = yield* part;
    this.#state.loops--;
    return end;
  }

  *#case(command: CommandOf<'case'>, streams: ShellStreams): Process<End> {
    const values = this.#values(streams);
    const text = yield* textOfWord(command.word, values);
    this.#state.exitCode = 0;
    for (const { patterns, body } of command.items)
      for (const pattern of patterns)
        if (yield* fits(text, pattern, values)) return yield* this.#script(body, streams);
    return { exitCode: 0 };
  }

  *#simple({ assignments, words: written }: CommandOf<'simple'>, streams: ShellStreams): Process<End> {
    const values = this.#values(streams);
    const outputs = this.#outputs;
    const words = yield* expandedWords(written, values);
    for (const { name, value } of assignments)
      this.#state.variables.set(name, yield* textOfWord(value, values));
    const [name] = words;
    // Where there is nothing to run, it ends as the last one whose output it took.
    if (name === undefined) return { exitCode: this.#outputs === outputs ? 0 : this.#state.exitCode };
    if (name === 'eval') return yield* this.#script(parseScript(words.slice(1).join(' ')), streams);
    const body = this.#state.functions.get(name);
    if (body) return yield* this.#call(body, words.slice(1), streams);
    return (yield* builtin(this.#state, words, streams)) ?? (yield* this.#program(words, streams));
  }

  *#call(body: Command, given: readonly string[], streams: ShellStreams): Process<End> {
    if (++this.#state.calls > MAX_CALLS)
      throw notModelled(`functions that call themselves more than ${MAX_CALLS} times`);
    const before = this.#state.given;
    this.#state.given = given;
    const end = yield* this.#command(body, streams);
    this.#state.given = before;
    this.#state.calls--;
    return end.leaves?.what === 'function' ? { exitCode: end.exitCode } : end;
  }

  *#program(words: readonly string[], streams: ShellStreams): Process<End> {
    const exitCode = yield* this.#state.host.run(words, streams);
    if (exitCode !== undefined) return { exitCode };
    streams.writeError(`sh: 1: ${words[0] ?? ''}: not found\n`);
    return { exitCode: NOT_FOUND_EXIT };
  }

  #values(streams: ShellStreams): Values {
    const { host } = this.#state;
    return {
      given: this.#state.given,
      valueOf: (name) => this.#state.valueOf(name),
      set: (name, value) => void this.#state.variables.set(name, value),
      files: host.files && (() => host.files?.() ?? []),
      outputOf: (script) => this.#outputOf(script, streams),
    };
  }

  *#outputOf(script: Script, streams: ShellStreams): Process<string> {
    this.#outputs++;
    const output = new Output();
    const shell = this.#fork();
    shell.#state.isAsked = false;
    const end = yield* shell.#script(script, { ...streams, write: (piece) => output.write(piece) });
    this.#state.exitCode = end.exitCode;
    return output.text;
  }
}

/** Of what consists of other commands, only those are looked at. */
const isLookedAt = ({ commands: [first, ...others] }: Pipeline): boolean =>
  others.length > 0 || first?.kind === 'simple' || first?.kind === 'subshell';

/** With the next round of the innermost loop. */
const goesOn = ({ leaves }: End): boolean => leaves?.what === 'round' && leaves.levels <= 1;

/** What is left of leaving loops behind one of them. */
function left({ exitCode, leaves }: End): End {
  if (!leaves || leaves.what === 'script' || leaves.what === 'function')
    return { exitCode, ...(leaves && { leaves }) };
  return leaves.levels <= 1 ? { exitCode } : { exitCode, leaves: { ...leaves, levels: leaves.levels - 1 } };
}
