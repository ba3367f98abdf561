/** Where a command in a container runs, and how it talks to whoever runs it. */
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { ContainerNetwork } from '../network/container-network.ts';
import type { ContainerRuntime, RuntimeContainer } from './container-runtime.ts';
import type { ProcessState } from './process-memory.ts';

/** How a command talks to whoever runs it. */
export interface CommandStreams {
  write(output: string | Uint8Array): void;
  writeError(text: string): void;
  /** What is typed next; undefined: nothing comes any more. */
  read(): Process<Uint8Array | undefined>;
  /** Somebody sits there who wants to be asked for the next command. */
  readonly isTerminal?: boolean;
}

export interface OwnProcess {
  requestsLeft: number;
  programsLeft: number;
  /** Runs on, and nobody knows what it does. */
  park(): Process<never>;
}

export interface CommandPlace {
  readonly context: Context;
  readonly container: RuntimeContainer;
  readonly runtime: ContainerRuntime;
  /** What the container's process has in memory: `/proc/1/mem` shows it in JSON. */
  readonly process: () => ProcessState;
  /** Undefined: it reaches nobody. */
  readonly network?: ContainerNetwork;
  /** Volumes that these words name are to show what they would show by now, which nobody waits for; absent: all do already. */
  readonly refreshFiles?: (words: readonly string[]) => void;
  /** Of the process that the container is, not of one that somebody runs in it. */
  readonly own?: OwnProcess;
}
