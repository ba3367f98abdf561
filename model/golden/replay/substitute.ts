import { isObject } from './json-object.ts';
import type { Variables } from './golden-case.ts';

const REFERENCE = /\$\$\{|\$\{([A-Za-z][A-Za-z0-9_-]*)\}/g;
const WHOLE_REFERENCE = /^\$\{([A-Za-z][A-Za-z0-9_-]*)\}$/;

/**
 * Replaces `${name}` in every string and member name. `$${` stands for `${`; a string that is one
 * reference and nothing else takes the value's type; a variable without a value becomes
 * `<missing:name>`, which no server accepts.
 */
export const substitute = <T>(value: T, variables: Variables): T => substituted(value, variables) as T;

function substituted(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const name = WHOLE_REFERENCE.exec(value)?.[1];
    if (name !== undefined && variables[name] !== undefined) return variables[name];
    return substituteText(value, variables);
  }
  if (Array.isArray(value)) return value.map((item) => substituted(item, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      substituteText(key, variables),
      substituted(item, variables),
    ]),
  );
}

function substituteText(text: string, variables: Variables): string {
  return text.replace(REFERENCE, (_match, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = variables[name];
    if (value === undefined) return `<missing:${name}>`;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
