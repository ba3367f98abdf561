/** Compares what a candidate answered with what was recorded. */
import type { GoldenCase, Recorded, Step } from './golden-case.ts';
import { compareText, isObject } from './json-object.ts';
import { escapeSegment, without } from './json-pointer.ts';
import { ignoredPointers } from './normalise.ts';

export interface Difference {
  /** From 1. */
  readonly step: number;
  /** What the step did, in a few words. */
  readonly action: string;
  readonly path: string;
  readonly expected: unknown;
  readonly got: unknown;
}

const ABSENT = '<absent>';

/** In the order in which a reader wants to know: the cause of a difference first. */
const PARTS = ['status', 'headers', 'bodyText', 'bodyBinary', 'body', 'events', 'closed', 'problem'] as const;
const PLACEHOLDER = /<(?:uid|rv):\d+>/g;

/** Every difference, in the order of the steps. */
export function compareCase(golden: GoldenCase, answers: readonly (Recorded | undefined)[]): readonly Difference[] {
  const comparison = new Comparison();
  return golden.steps.flatMap((step, index) => {
    const ignore = ignoredPointers(golden, step);
    const expected = withoutIgnored(step.response ?? {}, ignore);
    const got = withoutIgnored(answers[index] ?? {}, ignore);
    return PARTS.flatMap((part) => comparison.values(expected[part], got[part], `/${part}`)).map((found) => ({
      step: index + 1,
      action: describeStep(step),
      ...found,
    }));
  });
}

type Found = Pick<Difference, 'path' | 'expected' | 'got'>;

/**
 * Numbered placeholders compare by what they stand for: a number on one side goes with one number on
 * the other side throughout the case, so that one missing value does not shift all that follow.
 */
class Comparison {
  readonly #gotOf = new Map<string, string>();
  readonly #expectedOf = new Map<string, string>();

  values(expected: unknown, got: unknown, path: string): readonly Found[] {
    if (typeof expected === 'string' && typeof got === 'string') {
      return this.#isEqualText(expected, got) ? [] : [{ path, expected, got }];
    }
    if (Array.isArray(expected) && Array.isArray(got)) return this.#arrays(expected, got, path);
    if (isObject(expected) && isObject(got)) return this.#objects(expected, got, path);
    if (expected === got) return [];
    return [{ path, expected: expected ?? ABSENT, got: got ?? ABSENT }];
  }

  #arrays(expected: readonly unknown[], got: readonly unknown[], path: string): readonly Found[] {
    const shared = Math.min(expected.length, got.length);
    const found = expected.slice(0, shared).flatMap((item, index) => this.values(item, got[index], `${path}/${index}`));
    if (expected.length === got.length) return found;
    return [{ path, expected: `${expected.length} items`, got: `${got.length} items` }, ...found];
  }

  #objects(expected: Record<string, unknown>, got: Record<string, unknown>, path: string): readonly Found[] {
    const unexpected = new Set(Object.keys(got));
    const found = Object.keys(expected)
      .sort(compareText)
      .flatMap((name) => {
        const nameInGot = name.replace(PLACEHOLDER, (placeholder) => this.#gotOf.get(placeholder) ?? placeholder);
        unexpected.delete(nameInGot);
        return this.values(expected[name], got[nameInGot], `${path}/${escapeSegment(name)}`);
      });
    const extra = [...unexpected]
      .sort(compareText)
      .map((name) => ({ path: `${path}/${escapeSegment(name)}`, expected: ABSENT, got: got[name] }));
    return [...found, ...extra];
  }

  /** What two equal texts pair up, they pair up for good. */
  #isEqualText(expected: string, got: string): boolean {
    const wanted = expected.match(PLACEHOLDER);
    const given = got.match(PLACEHOLDER);
    if (!wanted || !given) return expected === got;
    if (expected.replace(PLACEHOLDER, kindOnly) !== got.replace(PLACEHOLDER, kindOnly)) return false;
    return wanted.every((placeholder, index) => this.#isPair(placeholder, given[index] ?? ''));
  }

  #isPair(expected: string, got: string): boolean {
    if (!this.#gotOf.has(expected) && !this.#expectedOf.has(got)) {
      this.#gotOf.set(expected, got);
      this.#expectedOf.set(got, expected);
    }
    return this.#gotOf.get(expected) === got;
  }
}

const kindOnly = (placeholder: string): string => placeholder.replace(/:\d+/, '');

function withoutIgnored(response: Recorded, pointers: readonly string[]): Recorded {
  if (pointers.length === 0) return response;
  const { body, bodyText, bodyBinary, events, ...rest } = response;
  const isBodyIgnored = pointers.includes('');
  const counted = without(body, pointers);
  return {
    ...rest,
    ...(counted !== undefined && { body: counted }),
    ...(bodyText !== undefined && !isBodyIgnored && { bodyText }),
    ...(bodyBinary !== undefined && !isBodyIgnored && { bodyBinary }),
    ...(events && {
      events: events.map((event) =>
        isObject(event) && 'object' in event ? { ...event, object: without(event['object'], pointers) } : event,
      ),
    }),
  };
}

/** A step in a few words. */
export function describeStep({ request, watchOpen, watchRead, watchClose, sleep }: Step): string {
  if (request) return `${request.method} ${request.path}`;
  if (watchOpen) return `watchOpen ${watchOpen.id}`;
  if (watchRead) return `watchRead ${watchRead.id}`;
  return watchClose ? `watchClose ${watchClose.id}` : `sleep ${sleep ?? 0}`;
}
