/** What a step expects of its answer. */
import type { Expectation } from '../language/scenario-shape.ts';
import type { Json } from '../language/shape.ts';
import { ExpressionError, PlainExpression } from '../../sim/index.ts';
import { ScenarioError } from '../language/variables.ts';
import { match, type Mismatch } from './match.ts';
import type { Answer } from '../world/world.ts';

/** Everything in which the answer differs from what was expected. Without `status`, any success will do. */
export function mismatchesOf(expect: Expectation | undefined, answer: Answer): readonly Mismatch[] {
  const found: Mismatch[] = [];
  const { status, answer: kind, headers, body, warnings, events, ended, cel } = expect ?? {};
  if (status !== undefined) found.push(...match(status, answer.status, 'status'));
  else if (kind === 'none') {
    if (answer.status !== 0)
      found.push({
        path: 'answer',
        message: `should be none, but there is one, with status ${answer.status}`,
      });
  } else if (kind !== 'any' && (answer.status < 200 || answer.status > 299))
    found.push({ path: 'status', message: `should be a success, but is ${answer.status}` });
  for (const [name, value] of Object.entries(headers ?? {})) {
    found.push(...match(value, answer.headers[name.toLowerCase()], `headers.${name}`));
  }
  if (body !== undefined) found.push(...match(body, answer.body, 'body'));
  if (warnings !== undefined) found.push(...match(warnings, answer.warnings, 'warnings'));
  if (events !== undefined) found.push(...match(events, answer.events, 'events'));
  if (ended !== undefined) found.push(...match(ended, answer.ended, 'ended'));
  if (cel !== undefined) found.push(...unlessTrue(cel, answer));
  const hasBodyMismatch =
    found.some(({ path }) => path === 'status' || path === 'answer') && answer.body !== undefined;
  if (hasBodyMismatch) found.push({ path: 'body', message: `says ${messageOf(answer.body)}` });
  return found;
}

const KNOWN = ['status', 'headers', 'body', 'warnings', 'events', 'ended'] as const;
const compiled = new Map<string, PlainExpression>();

function unlessTrue(text: string, answer: Answer): readonly Mismatch[] {
  const problem = expressionOf(text).problemWith({ ...answer });
  return problem === undefined
    ? []
    : [{ path: 'cel', message: `should be true of the answer: ${text}; but it ${problem}` }];
}

/** @throws ScenarioError if it does not compile */
function expressionOf(text: string): PlainExpression {
  const known = compiled.get(text);
  if (known) return known;
  try {
    const made = new PlainExpression(text, KNOWN);
    compiled.set(text, made);
    return made;
  } catch (error) {
    if (error instanceof ExpressionError)
      throw new ScenarioError(`\`cel\` is no expression: ${error.message}`);
    throw error;
  }
}

export const detailOf = ({ path, message }: Mismatch): string => `${path} ${message}`;

function messageOf(body: Json | undefined): string {
  const message =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as { readonly message?: Json }).message
      : body;
  return JSON.stringify(message ?? body) ?? '';
}

/** The answer as a value that captures can look into. */
export const answerValue = (answer: Answer): Json => JSON.parse(JSON.stringify(answer)) as Json;
