/** Requests of a scenario as they go over the wire, and answers as scenarios see them. */
import type { WireAnswer, WireRequest } from '../../sim/index.ts';
import type { Json } from '../language/shape.ts';
import type { Answer, WorldRequest } from './world.ts';

const ADMINISTRATOR = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
export const NO_ANSWER: Answer = {
  status: 0,
  headers: {},
  warnings: [],
  body: { message: 'no answer: none came within 60s, or the connection broke' },
};

export function wireRequest({
  method,
  path,
  query = {},
  headers = {},
  body,
  server,
  user,
}: WorldRequest): WireRequest {
  const lowerCased = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method: method as WireRequest['method'],
    path,
    query,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...lowerCased },
    ...(body !== undefined && { body }),
    ...(server !== undefined && { server }),
    user: user === undefined ? ADMINISTRATOR : { name: user, groups: ['system:authenticated'] },
  };
}

export function answerOf(answer: WireAnswer): Answer {
  if (!answer) return NO_ANSWER;
  const joined: Record<string, string> = {};
  for (const [name, value] of answer.headers ?? []) {
    const key = name.toLowerCase();
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`;
  }
  return {
    status: answer.status,
    headers: joined,
    warnings: answer.warnings,
    body: typeof answer.body === 'string' ? jsonOrText(answer.body) : (answer.body as Json | undefined),
  };
}

export function bearerToken(headers: Readonly<Record<string, string>>): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  return /^bearer +(\S+)$/i.exec(value ?? '')?.[1];
}

/** JSON where it is JSON; otherwise the text. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
