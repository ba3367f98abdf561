/** The part of JSONPath that definitions use: `.spec.a`, `.spec.list[0].b`, `.metadata.labels.a\.b`, `['x']`, `[*]`, `[?(@.type=="Ready")]`. */
import { isMap } from './json-schema.ts';

type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'filter';
      readonly path: readonly Step[];
      readonly operator: string;
      readonly value: unknown;
    };

export interface JsonPath {
  /** Every match, in order. */
  find(object: unknown): readonly unknown[];
}

const MEMBER = /^\.?((?:\\.|[^.[\]\\])+)/;
const QUOTED = /^\[\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/;
const INDEX = /^\[(-?\d+)\]/;
const ALL = /^(?:\[\*\]|\.\*)/;
const FILTER = /^\[\?\(\s*@([^=!<>]*?)\s*(==|!=|<=|>=|<|>)?\s*('[^']*'|"[^"]*"|-?[\d.]+|true|false)?\s*\)\]/;

/** Undefined: the text is none. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps = stepsOf(text);
  return steps && { find: (object) => follow([object], steps) };
}

function stepsOf(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.trim();
  if (rest.startsWith('$')) rest = rest.slice(1);
  while (rest !== '' && rest !== '.') {
    const next = stepAt(rest);
    if (!next) return undefined;
    steps.push(next.step);
    rest = rest.slice(next.length);
  }
  return steps;
}

function stepAt(text: string): { step: Step; length: number } | undefined {
  const all = ALL.exec(text);
  if (all) return { step: { kind: 'all' }, length: all[0].length };
  const index = INDEX.exec(text);
  if (index) return { step: { kind: 'index', index: Number(index[1]) }, length: index[0].length };
  const quoted = QUOTED.exec(text);
  if (quoted)
    return {
      step: { kind: 'member', name: unescaped(quoted[1] ?? quoted[2] ?? '') },
      length: quoted[0].length,
    };
  const filter = FILTER.exec(text);
  if (filter) {
    const path = stepsOf(filter[1] ?? '');
    if (!path) return undefined;
    return {
      step: { kind: 'filter', path, operator: filter[2] ?? '', value: literal(filter[3] ?? '') },
      length: filter[0].length,
    };
  }
  const member = MEMBER.exec(text);
  return member
    ? { step: { kind: 'member', name: unescaped(member[1] ?? '') }, length: member[0].length }
    : undefined;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

function literal(text: string): unknown {
  if (text.startsWith("'") || text.startsWith('"')) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return text === '' ? undefined : Number(text);
}

function follow(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  let found = values;
  for (const step of steps) found = found.flatMap((value) => taken(value, step));
  return found;
}

function taken(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case 'member':
      return isMap(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      if (!Array.isArray(value)) return [];
      const at = step.index < 0 ? value.length + step.index : step.index;
      return at in value ? [value[at]] : [];
    }
    case 'all':
      return Array.isArray(value) ? value : isMap(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item: unknown) => passes(item, step)) : [];
  }
}

function passes(item: unknown, { path, operator, value }: Extract<Step, { kind: 'filter' }>): boolean {
  const [found] = follow([item], path);
  if (operator === '') return found !== undefined;
  if (operator === '==') return found === value;
  if (operator === '!=') return found !== value;
  if ((typeof found !== 'number' && typeof found !== 'string') || typeof found !== typeof value) return false;
  const other = value as typeof found;
  if (operator === '<') return found < other;
  if (operator === '<=') return found <= other;
  return operator === '>' ? found > other : found >= other;
}
