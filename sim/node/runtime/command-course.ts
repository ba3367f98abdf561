/**
 * What becomes of a container by its `command` and `args`, where the built-in shell knows every word of them: what it
 * writes, when, and how it ends. Otherwise undefined: it just runs, as images do. What the workload's behaviour says of
 * the same counts instead. Pure.
 */
import { assignmentOf, expanded, parseShell, ShellSyntaxError } from './shell-words.ts';
import type { LogEntry, WorkloadBehaviour } from './workload-behaviour.ts';

export interface CommandCourse {
  readonly logs: readonly LogEntry[];
  readonly runsForSeconds: number;
  readonly exitCode: number;
}

/** With what its command does, unless it says itself what is written or how it ends. */
export function withCommand(
  behaviour: WorkloadBehaviour,
  words: readonly string[],
  environment: readonly string[],
): WorkloadBehaviour {
  const saysItself =
    behaviour.runsForSeconds !== undefined ||
    behaviour.exitCode !== undefined ||
    behaviour.logs !== undefined;
  const course = saysItself || words.length === 0 ? undefined : courseOf(words, environment);
  return course ? { ...behaviour, ...course } : behaviour;
}

/** Undefined: not all of it is known. */
export function courseOf(
  words: readonly string[],
  environment: readonly string[],
): CommandCourse | undefined {
  const course = new Course(environment);
  const [name = '', flag, script = '', ...more] = words;
  const isShell = /^((\/usr)?\/bin\/)?(ba|a)?sh$/.test(name);
  try {
    const isKnown = isShell ? flag === '-c' && more.length === 0 && course.script(script) : course.run(words);
    return isKnown ? course.outcome : undefined;
  } catch (error) {
    if (error instanceof ShellSyntaxError) return undefined;
    throw error;
  }
}

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };

class Course {
  readonly #variables: Map<string, string>;
  readonly #logs: LogEntry[] = [];
  #seconds = 0;
  #exitCode = 0;

  constructor(environment: readonly string[]) {
    this.#variables = new Map(
      environment.map((line) => {
        const equals = line.indexOf('=');
        return [line.slice(0, equals), line.slice(equals + 1)];
      }),
    );
  }

  get outcome(): CommandCourse {
    return { logs: this.#logs, runsForSeconds: this.#seconds, exitCode: this.#exitCode };
  }

  /** False: something in it is not known. @throws ShellSyntaxError */
  script(text: string): boolean {
    const valueOf = (name: string): string =>
      name === '?' ? String(this.#exitCode) : (this.#variables.get(name) ?? '');
    for (const { words: parts, when, isPiped } of parseShell(text)) {
      if (isPiped) return false;
      if (when === 'succeeded' ? this.#exitCode !== 0 : when === 'failed' && this.#exitCode === 0) continue;
      const assignments = parts.map(assignmentOf);
      if (assignments.every((each) => each !== undefined)) {
        for (const { name, value } of assignments)
          this.#variables.set(name, expanded([value], valueOf).join(''));
        continue;
      }
      const words = expanded(parts, valueOf);
      if (words[0] === 'exit') {
        this.#exitCode = Number(words[1] ?? this.#exitCode) & 0xff;
        return true;
      }
      if (words.length > 0 && !this.run(words)) return false;
    }
    return true;
  }

  run([program = '', ...words]: readonly string[]): boolean {
    this.#exitCode = 0;
    switch (program.replace(/^(\/usr)?\/bin\//, '')) {
      case 'true':
      case ':':
        return true;
      case 'false':
        this.#exitCode = 1;
        return true;
      case 'echo':
        if (words[0]?.startsWith('-')) return false;
        this.#write(words.join(' '));
        return true;
      case 'sleep':
        return this.#sleep(words);
      default:
        return false;
    }
  }

  #write(text: string): void {
    for (const line of text.split('\n')) this.#logs.push({ text: line, afterSeconds: this.#seconds });
  }

  #sleep([text = '', ...more]: readonly string[]): boolean {
    const match = /^([0-9]+(?:\.[0-9]+)?)([smhd]?)$/.exec(text);
    if (!match || more.length > 0) return false;
    this.#seconds += Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0);
    return true;
  }
}
