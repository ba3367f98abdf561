/**
 * Which container's log a request means, and which part of it: what `/containerLogs` of a node agent answers.
 */
import { parseTime, TimeFormatError } from '../../api/time-format.ts';
import { type AgentQuery, firstOf, lastOf } from './agent-port.ts';
import type { ContainerRecord } from '../pods/container-state.ts';

export type LogSource =
  | { readonly kind: 'container'; readonly id: string }
  /** The container has no log yet, or none any more. */
  | { readonly kind: 'none'; readonly message: string };

const PULL_PROBLEMS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

export function logSourceOf(
  record: ContainerRecord | undefined,
  {
    pod,
    container,
    isPrevious,
  }: { readonly pod: string; readonly container: string; readonly isPrevious: boolean },
): LogSource {
  const subject = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
  const last = record?.lastTermination;
  if (isPrevious) {
    if (last) return { kind: 'container', id: last.containerId };
    return { kind: 'none', message: `previous terminated ${subject} not found` };
  }
  const state = record?.state;
  if (record && state?.kind === 'running') return { kind: 'container', id: record.containerId };
  if (state?.kind === 'terminated') return { kind: 'container', id: state.containerId };
  if (last) return { kind: 'container', id: last.containerId };
  const reason = state?.kind === 'waiting' ? state.reason : 'ContainerCreating';
  return { kind: 'none', message: `${subject} is waiting to start: ${PULL_PROBLEMS[reason] ?? reason}` };
}

export interface LogSelection {
  readonly isFollowing: boolean;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  /** Lines from this instant of the wall clock on. */
  readonly sinceMs: number;
  readonly tailLines: number;
  readonly limitBytes: number;
}

/** What is wrong with a query: it cannot be read, or it makes no sense. */
export type LogQueryProblem = 'undecodable' | 'invalid';

export function logSelectionOf(query: AgentQuery, nowMs: number): LogSelection | LogQueryProblem {
  const tail = firstOf(query, 'tail') ?? '';
  const tailLines =
    tail === '' ? numberOf(query, 'tailLines') : tail === 'all' ? undefined : numberOf({ tail }, 'tail');
  const sinceSeconds = numberOf(query, 'sinceSeconds');
  const limitBytes = numberOf(query, 'limitBytes');
  const sinceTime = instantOf(lastOf(query, 'sinceTime'));
  const numbers = [tailLines, sinceSeconds, limitBytes, sinceTime];
  if (numbers.some((number) => Number.isNaN(number))) return 'undecodable';
  const isInvalid =
    (tailLines ?? 0) < 0 ||
    (limitBytes ?? 1) < 1 ||
    (sinceSeconds ?? 1) < 1 ||
    (sinceSeconds !== undefined && sinceTime !== undefined);
  if (isInvalid) return 'invalid';
  return {
    isFollowing: isTrue(query, 'follow'),
    isPrevious: isTrue(query, 'previous'),
    hasTimestamps: isTrue(query, 'timestamps'),
    sinceMs: sinceTime ?? (sinceSeconds === undefined ? -Infinity : nowMs - sinceSeconds * 1_000),
    tailLines: tailLines ?? Infinity,
    limitBytes: limitBytes ?? Infinity,
  };
}

/** NaN: it is none. */
function numberOf(query: AgentQuery, name: string): number | undefined {
  const text = firstOf(query, name);
  if (text === undefined || text === '') return undefined;
  return /^[+-]?[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
}

function instantOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return parseTime(text).epochSeconds * 1_000;
  } catch (error) {
    if (error instanceof TimeFormatError) return NaN;
    throw error;
  }
}

/** As the API reads flags: every value but `false` and `0` is yes, the empty one too. */
function isTrue(query: AgentQuery, name: string): boolean {
  const text = firstOf(query, name);
  return text !== undefined && text.toLowerCase() !== 'false' && text !== '0';
}

export interface StampedLine {
  /** On the wall. */
  readonly atMs: number;
  /** With its end, if it has one. */
  readonly text: string;
}

const TEXT = new TextEncoder();

/** Turns lines into the selected text, bit by bit: the first piece is cut to its tail, the whole to its limit. */
export class LogText {
  readonly #selection: LogSelection;
  #leftBytes: number;
  #isFirst = true;

  constructor(selection: LogSelection) {
    this.#selection = selection;
    this.#leftBytes = selection.limitBytes;
  }

  /** As many bytes as were wanted have been given. */
  get isFull(): boolean {
    return this.#leftBytes <= 0;
  }

  take(lines: readonly StampedLine[]): Uint8Array {
    const { sinceMs, tailLines, hasTimestamps } = this.#selection;
    const recent = lines.filter(({ atMs }) => atMs >= sinceMs);
    const shown =
      this.#isFirst && recent.length > tailLines ? recent.slice(recent.length - tailLines) : recent;
    this.#isFirst = false;
    const text = shown
      .map(({ atMs, text: line }) => `${hasTimestamps ? `${stamp(atMs)} ` : ''}${line}`)
      .join('');
    const bytes = TEXT.encode(text);
    const taken = bytes.length > this.#leftBytes ? bytes.subarray(0, this.#leftBytes) : bytes;
    this.#leftBytes -= taken.length;
    return taken;
  }
}

/** Nine digits of a second, of which the simulation knows six. */
function stamp(atMs: number): string {
  const micros = String(Math.floor(atMs * 1_000) % 1_000).padStart(3, '0');
  return new Date(Math.floor(atMs)).toISOString().replace('Z', `${micros}000Z`);
}
