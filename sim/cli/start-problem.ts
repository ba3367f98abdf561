/** Why a server could not start, in one line, where it is the fault of an option or of the machine. */
import { DataDirectoryError } from '../host/data-directory/file-layer.ts';

const CODES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'it is a link, which is not followed',
};

interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly address?: string;
  readonly port?: number;
}

/** Undefined: it is nobody's fault but the simulator's. */
export function startProblem(error: unknown): string | undefined {
  if (error instanceof DataDirectoryError) return `--data-dir: ${error.message}`;
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, address, port } = error as SystemError;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const why = CODES[String(code)] ?? error.message;
  return syscall === 'listen' && port !== undefined
    ? `port ${port} of ${address}: ${why}`
    : `--bind-address: ${why}`;
}

/** Why the machine does not give what was asked of it, in words. */
export function systemReason(error: unknown): string {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const known = typeof code === 'string' ? CODES[code] : undefined;
  return known ?? (error instanceof Error ? error.message : String(error));
}

/** Of a file that an option names. */
export const fileProblem = (option: string, file: string, error: unknown): string =>
  `${option} ${file}: ${systemReason(error)}`;
