/** What two servers answered, without what is chance, time, or the server's own; and where two texts part. */
import type { SideAnswer } from './side.ts';

/** Members that are chance, time, or the server's own. */
const CHANCE: ReadonlySet<string> = new Set([
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'resourceVersion',
  'time',
  'userInfo',
  'managedFields',
  'token',
  'expirationTimestamp',
]);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !CHANCE.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, sorted(member)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

export const steady = (text: string): string => {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
};

export const answerText = ({ status, text, warnings, annotations }: SideAnswer): string =>
  [status, steady(text), JSON.stringify(warnings), annotationText(annotations)]
    .join(' ')
    .replaceAll(/stream ID \d+/g, 'stream ID N')
    .replaceAll(/\b10\.96\.\d+\.\d+\b/g, 'IP')
    .replaceAll(/\b3[0-2]\d{3}\b/g, 'PORT')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID');

const annotationText = (annotations: SideAnswer['annotations']): string =>
  JSON.stringify(
    Object.entries(annotations)
      .filter(([name]) => !name.startsWith('authorization.') && !name.startsWith('apiserver.latency'))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const CONTEXT = 100;
const SHOWN = 300;

/** From shortly before where they part. */
export function apart(wanted: string, got: string): string {
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at += 1;
  const shown = (text: string): string => text.slice(Math.max(0, at - CONTEXT), at + SHOWN);
  return `    real: ${shown(wanted)}\n    own:  ${shown(got)}`;
}
