/**
 * The memory of a simulated process: its values and how long it has run, laid out in pages as a
 * checkpoint stores them. The rest of the pages is what the process would have computed: a function
 * of the container and the page, so that equal runs give equal bytes.
 */
import { encodeJson } from '../../api/codec/encode.ts';

export const PAGE_BYTES = 4_096;
/** A checkpoint stores so many of the pages that a process uses; the others are zero. */
const MAX_STORED_PAGES = 64;
const TEXT = new TextEncoder();
const FROM_TEXT = new TextDecoder();

export interface ProcessState {
  readonly containerId: string;
  /** Seconds that the process has run, across checkpoints. */
  readonly ranSeconds: number;
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** Files that its container has written, by absolute path; not in its memory. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** The first page holds the values, in canonical JSON behind its length. */
export function memoryPages(state: ProcessState, memoryBytes: number): Uint8Array {
  const heap = TEXT.encode(encodeJson(sorted(state)));
  const heapPages = Math.ceil((heap.length + 4) / PAGE_BYTES);
  const pageCount = Math.max(heapPages, Math.min(MAX_STORED_PAGES, Math.ceil(memoryBytes / PAGE_BYTES)));
  const pages = new Uint8Array(pageCount * PAGE_BYTES);
  new DataView(pages.buffer).setUint32(0, heap.length);
  pages.set(heap, 4);
  for (let page = heapPages; page < pageCount; page += 1) fillPage(pages, page, state.containerId);
  return pages;
}

/** Undefined: these are no pages of a process. */
export function processStateOf(pages: Uint8Array): ProcessState | undefined {
  if (pages.length < PAGE_BYTES) return undefined;
  const length = new DataView(pages.buffer, pages.byteOffset).getUint32(0);
  if (length + 4 > pages.length) return undefined;
  try {
    const state: unknown = JSON.parse(FROM_TEXT.decode(pages.subarray(4, 4 + length)));
    return isState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

function isState(value: unknown): value is ProcessState {
  if (typeof value !== 'object' || value === null) return false;
  const [id, seconds, values] = ['containerId', 'ranSeconds', 'values'].map((name): unknown =>
    Reflect.get(value, name),
  );
  return (
    typeof id === 'string' && typeof seconds === 'number' && typeof values === 'object' && values !== null
  );
}

function sorted({ containerId, ranSeconds, values }: ProcessState): ProcessState {
  const names = Object.keys(values).sort();
  return {
    containerId,
    ranSeconds,
    values: Object.fromEntries(names.map((name) => [name, values[name] ?? ''])),
  };
}

function fillPage(pages: Uint8Array, page: number, containerId: string): void {
  let word = page + 1;
  for (let index = 0; index < containerId.length; index += 1)
    word = Math.imul(word ^ containerId.charCodeAt(index), 0x01000193);
  for (let at = page * PAGE_BYTES; at < (page + 1) * PAGE_BYTES; at += 1) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) | 0;
    pages[at] = word >>> 24;
  }
}
