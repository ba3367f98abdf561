/**
 * Which container's log a request means, and which part of it: what `/containerLogs` of a node agent
 * answers. A container writes its lines when it starts, so they all have that time.
 */
import { parseTime, TimeFormatError } from '../api/time-format.ts';
import type { Query } from '../client/protocol.ts';
import type { ContainerRecord } from './pods/container-state.ts';

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
  readonly hasTimestamps: boolean;
  readonly sinceMs: number;
  readonly tailLines: number;
  readonly limitBytes: number;
}

/** @returns a text that says what is wrong with the query, if something is */
export function logSelectionOf(query: Query, nowMs: number): LogSelection | string {
  const { sinceSeconds, sinceTime, tailLines, limitBytes } = query;
  for (const [name, value] of Object.entries({ sinceSeconds, tailLines, limitBytes })) {
    if (value !== undefined && !/^[0-9]+$/.test(value))
      return `Unable to decode query: ${name}: expected a whole number from 0 on\n`;
  }
  let sinceMs = sinceSeconds === undefined ? -Infinity : nowMs - Number(sinceSeconds) * 1_000;
  if (sinceTime !== undefined) {
    try {
      sinceMs = parseTime(sinceTime).epochSeconds * 1_000;
    } catch (error) {
      if (error instanceof TimeFormatError) return `Unable to decode query: sinceTime: ${error.message}\n`;
      throw error;
    }
  }
  return {
    hasTimestamps: query['timestamps'] === 'true',
    sinceMs,
    tailLines: tailLines === undefined ? Infinity : Number(tailLines),
    limitBytes: limitBytes === undefined ? Infinity : Number(limitBytes),
  };
}

/** The selected part of lines that were written at one time. */
export function logText(
  lines: readonly string[],
  writtenAtMs: number,
  { hasTimestamps, sinceMs, tailLines, limitBytes }: LogSelection,
): string {
  if (writtenAtMs < sinceMs) return '';
  const shown = tailLines >= lines.length ? lines : lines.slice(lines.length - tailLines);
  const head = hasTimestamps ? `${new Date(writtenAtMs).toISOString().replace('Z', '000000Z')} ` : '';
  const text = shown.map((line) => `${head}${line}\n`).join('');
  if (limitBytes === Infinity) return text;
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, limitBytes));
}
