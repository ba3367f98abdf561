/** The time line of a run as a picture: one lane for each actor, the steps on top. */
import { escapeXml } from './junit-xml.ts';
import type { Mark, StepRecord, Timeline } from './run-record.ts';
import { formatVirtual } from './run-summary.ts';

export interface TimelineOptions {
  readonly timeline: Timeline;
  readonly steps: readonly StepRecord[];
  /** Instant of the failure. */
  readonly failedAt?: number | undefined;
  /** `time`: to scale; `order`: every instant takes the same room, so that bursts can be read. */
  readonly scale: 'time' | 'order';
}

const WIDTH = 1080;
const LABEL_WIDTH = 214;
const LANE_HEIGHT = 26;
const TOP = 30;
const RIGHT = 16;
/** Marks nearer than this are drawn as one. */
const MERGE_PIXELS = 4;

type Place = (at: number) => number;

export function timelineSvg({ timeline: whole, steps, failedAt, scale }: TimelineOptions): string {
  const { timeline, idle } = ofTheTest(whole, steps);
  const { lanes } = timeline;
  const place = scale === 'time' ? linear(timeline) : ordinal(timeline, steps);
  const height = TOP + (lanes.length + 1) * LANE_HEIGHT + 12;
  const parts = [grid(timeline, place, height, scale), stepLane(steps, timeline, place)];
  lanes.forEach(({ actor, marks }, index) =>
    parts.push(lane(actor, marks, TOP + (index + 1) * LANE_HEIGHT, place)),
  );
  if (failedAt !== undefined) {
    const x = place(failedAt).toFixed(1);
    parts.push(
      `<line class="bad" x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${height - 8}"/><circle class="bad-dot" cx="${x}" cy="${TOP - 10}" r="4"><title>failed at ${formatVirtual(failedAt)}</title></circle>`,
    );
  }
  const folded =
    idle.length === 0
      ? ''
      : `<details class="more"><summary>${idle.length} ${idle.length === 1 ? 'actor' : 'actors'} without events</summary><span class="soft mono">${escapeXml(idle.join(', '))}</span></details>`;
  return `<div class="scroll"><svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="time line">${parts.join('')}</svg></div>${folded}`;
}

/** From the first step on: what a cluster does until it has settled is not what the test is about. */
function ofTheTest(
  { lanes, from, to, omitted }: Timeline,
  steps: readonly StepRecord[],
): { readonly timeline: Timeline; readonly idle: readonly string[] } {
  const begin = Math.min(to, Math.max(from, steps[0]?.from ?? from));
  const shown = lanes.map(({ actor, marks }) => ({ actor, marks: marks.filter(({ at }) => at >= begin) }));
  return {
    timeline: { from: begin, to, omitted, lanes: shown.filter(({ marks }) => marks.length > 0) },
    idle: shown.filter(({ marks }) => marks.length === 0).map(({ actor }) => actor),
  };
}

function linear({ from, to }: Timeline): Place {
  const span = Math.max(1, to - from);
  return (at) =>
    LABEL_WIDTH + ((Math.min(Math.max(at, from), to) - from) / span) * (WIDTH - LABEL_WIDTH - RIGHT);
}

function ordinal({ lanes, from, to }: Timeline, steps: readonly StepRecord[]): Place {
  const instants = new Set<number>([from, to]);
  for (const { marks } of lanes) for (const { at } of marks) instants.add(at);
  for (const step of steps) if (step.from >= from) instants.add(step.from).add(step.to);
  const sorted = [...instants].sort((a, b) => a - b);
  const ranks = new Map(sorted.map((at, rank) => [at, rank]));
  const unit = (WIDTH - LABEL_WIDTH - RIGHT) / Math.max(1, sorted.length - 1);
  return (at) => LABEL_WIDTH + (ranks.get(at) ?? (at < from ? 0 : sorted.length - 1)) * unit;
}

const TICK_STEPS = [1, 2, 5];

function grid({ from, to }: Timeline, place: Place, height: number, scale: 'time' | 'order'): string {
  if (scale === 'order')
    return `<text class="tick" x="${LABEL_WIDTH}" y="14">in order of events, not to scale</text>`;
  const span = Math.max(1, to - from);
  const magnitude = 10 ** Math.floor(Math.log10(span / 6));
  const unit =
    (TICK_STEPS.map((step) => step * magnitude).find((step) => span / step <= 9) ?? magnitude * 10) || 1;
  const ticks: string[] = [];
  for (let at = Math.ceil(from / unit) * unit; at <= to; at += unit) {
    const x = place(at).toFixed(1);
    ticks.push(
      `<line class="grid" x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${height - 8}"/><text class="tick" x="${x}" y="14">${formatVirtual(at)}</text>`,
    );
  }
  return ticks.join('');
}

function stepLane(steps: readonly StepRecord[], { from }: Timeline, place: Place): string {
  const y = TOP + 4;
  const bars = steps
    .filter((step) => step.to >= from)
    .map((step) => {
      const x = place(step.from);
      const width = Math.max(3, place(step.to) - x);
      const status = step.status === undefined ? '' : ` → ${step.status}`;
      return `<rect class="step ${step.outcome}" x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${LANE_HEIGHT - 10}" rx="3"><title>${escapeXml(`${step.title}${status}, ${formatVirtual(step.from)} to ${formatVirtual(step.to)}`)}</title></rect>`;
    });
  return `<text class="actor" x="${LABEL_WIDTH - 12}" y="${y + 12}">steps</text>${bars.join('')}`;
}

/** Above and below the line of a lane, in pixels. */
const LEVELS = [0, -7, 7] as const;

function lane(actor: string, marks: readonly Mark[], y: number, place: Place): string {
  const middle = y + LANE_HEIGHT / 2;
  const ends: number[] = LEVELS.map(() => -Infinity);
  const dots = merged(marks, place).map(({ x, group }) => {
    const [first] = group;
    const kinds = [...new Set(group.map(({ kind }) => kind))];
    const radius = Math.min(8, 3 + Math.log2(group.length));
    // On the first level on which it hides no other.
    const free = ends.findIndex((end) => x - radius >= end);
    const level = free < 0 ? ends.indexOf(Math.min(...ends)) : free;
    ends[level] = x + radius;
    const text =
      group.length === 1
        ? `${formatVirtual(first?.at ?? 0)} ${first?.kind ?? ''} ${first?.text ?? ''}`
        : `${formatVirtual(first?.at ?? 0)}: ${group.length} × ${kinds.slice(0, 5).join(', ')}`;
    return `<circle class="mark hue-${hueOf(kinds[0] ?? '')}" cx="${x.toFixed(1)}" cy="${middle + (LEVELS[level] ?? 0)}" r="${radius.toFixed(1)}"><title>${escapeXml(text)}</title></circle>`;
  });
  return `<line class="lane" x1="${LABEL_WIDTH}" x2="${WIDTH - RIGHT}" y1="${middle}" y2="${middle}"/><text class="actor" x="${LABEL_WIDTH - 12}" y="${middle + 4}">${escapeXml(shortened(actor))}</text>${dots.join('')}`;
}

function merged(marks: readonly Mark[], place: Place): { readonly x: number; readonly group: Mark[] }[] {
  const groups: { x: number; group: Mark[] }[] = [];
  for (const mark of marks) {
    const x = place(mark.at);
    const last = groups.at(-1);
    if (last && x - last.x < MERGE_PIXELS) last.group.push(mark);
    else groups.push({ x, group: [mark] });
  }
  return groups;
}

const MOST_LETTERS = 26;

const shortened = (name: string): string =>
  name.length <= MOST_LETTERS ? name : `…${name.slice(1 - MOST_LETTERS)}`;

const FAULT_KINDS = /partition|heal|hold|release|reset|crash|restart|pause|resume|clock|refuse|latency/;

/** Colour classes: faults, what users do, messages, timers, everything else. */
function hueOf(kind: string): 'fault' | 'user' | 'message' | 'timer' | 'other' {
  if (FAULT_KINDS.test(kind)) return 'fault';
  if (kind === 'request' || kind === 'answer' || kind === 'watch') return 'user';
  if (kind === 'message' || kind === 'accept' || kind === 'connect' || kind === 'end') return 'message';
  return kind === 'timer' ? 'timer' : 'other';
}
