/** What a text says of its own type, as Go reads it: kind and version in any case, and nothing but texts. */
import { DecodeError } from '../../../api/codec/decode-error.ts';

interface TypeOfText {
  readonly kind: string;
  readonly apiVersion: string;
  readonly members: readonly string[];
}

/** What is missing or null is empty. @throws DecodeError */
export function typeOf(text: string): TypeOfText {
  const value: unknown = JSON.parse(text);
  const members =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  if (typeof value === 'object' && value !== null) refuseOtherCases(value);
  const member = (name: string): string => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    const found: unknown = Reflect.get(value, name);
    if (typeof found === 'string' || found === null) return found ?? '';
    throw notAText(name, found);
  };
  return { kind: member('kind'), apiVersion: member('apiVersion'), members };
}

/** Go looks for kind and version in any case. */
function refuseOtherCases(value: object): void {
  for (const key of Object.keys(value)) {
    const name = ['apiVersion', 'kind'].find(
      (each) => each.length === key.length && each.toLowerCase() === key.toLowerCase(),
    );
    if (name === undefined || name === key) continue;
    const found: unknown = Reflect.get(value, key);
    if (found !== null && typeof found !== 'string') throw notAText(name, found);
  }
}

function notAText(name: string, found: unknown): DecodeError {
  const reason = `cannot unmarshal ${wordOf(found)} into Go struct field .${name} of type string`;
  return new DecodeError(`couldn't get version/kind; json parse error: json: ${reason}`);
}

function wordOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
