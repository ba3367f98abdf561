/** Files that options name. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { fileProblem } from './start-problem.ts';

/** The text of the file that an option names. */
export function readOption<T extends string | undefined>(
  option: string,
  file: T,
  command: Command,
): T | string {
  if (file === undefined) return file;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return command.error(`error: ${fileProblem(option, file, error)}`);
  }
}
