/** What one shell remembers from command to command. */
import type { Process } from '../../engine/process.ts';
import type { Streams } from './streams.ts';
import { type Command, notModelled } from './syntax.ts';

/** How a shell complains: those of BusyBox have other words than those of Debian, and each names itself as it was called. */
export interface ShellVoice {
  readonly name: string;
  readonly isBusyBox: boolean;
}

export interface ShellHost {
  readonly voice: ShellVoice;
  /** Undefined: there is no such program. */
  run(words: readonly string[], streams: Streams): Process<number | undefined>;
  /** Variables that the container has. */
  environment(name: string): string | undefined;
  /** Paths of all files; absent: nobody knows them all. */
  readonly files?: () => Iterable<string>;
  /** Undefined: there is no such file. */
  readFile(path: string): Uint8Array | 'Permission denied' | undefined;
  /** Undefined: it was written; else why not. */
  writeFile(path: string, bytes: Uint8Array): string | undefined;
  nowMs(): number;
  /** A round of a `while` begins that is in no other loop; `knows`: what decides how it goes on. */
  roundBegins?(knows: readonly unknown[]): void;
}

/** How a command ends, and whom it makes those around it leave. */
export interface End {
  readonly exitCode: number;
  readonly leaves?: { readonly what: 'script' | 'function' | 'loop' | 'round'; readonly levels: number };
}

const MOST_ROUNDS = 10_000;

export class ShellState {
  readonly host: ShellHost;
  readonly variables: Map<string, string>;
  readonly functions: Map<string, Command>;
  /** `$1` and what follows. */
  given: readonly string[];
  exitCode: number;
  /** After `set -e`. */
  endsOnFailure: boolean;
  /** Somebody asks how it ends: no failure ends it meanwhile. */
  isAsked: boolean;
  /** Loops that it is in. */
  loops: number;
  calls: number;
  #rounds = 0;
  #roundsAtMs = -1;

  constructor(host: ShellHost, given: readonly string[], parent?: ShellState) {
    this.host = host;
    this.given = given;
    this.variables = new Map(parent?.variables);
    this.functions = new Map(parent?.functions);
    this.exitCode = parent?.exitCode ?? 0;
    this.isAsked = parent?.isAsked ?? false;
    this.endsOnFailure = parent?.endsOnFailure ?? false;
    this.loops = parent?.loops ?? 0;
    this.calls = parent?.calls ?? 0;
  }

  /** Knows what this one knows, and keeps to itself what it learns. */
  fork(): ShellState {
    return new ShellState(this.host, this.given, this);
  }

  valueOf(name: string): string | undefined {
    if (name === '?') return String(this.exitCode);
    if (name === '#') return String(this.given.length);
    if (name === '$') return '1';
    if (name === '0') return 'sh';
    if (/^[1-9]$/.test(name)) return this.given[Number(name) - 1];
    return this.variables.get(name) ?? this.host.environment(name);
  }

  /** @throws ShellSyntaxError if no time passes over very many */
  roundBegins(): void {
    if (this.loops === 0) this.host.roundBegins?.([...this.variables, this.given]);
    const nowMs = this.host.nowMs();
    this.#rounds = nowMs === this.#roundsAtMs ? this.#rounds + 1 : 0;
    this.#roundsAtMs = nowMs;
    if (this.#rounds >= MOST_ROUNDS)
      throw notModelled(`a loop of more than ${MOST_ROUNDS} rounds at one instant`);
  }
}
