/** The requests of the recorded cases, in their order: what attackers start from. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GoldenCase, Query, RequestStep } from '../../../model/golden/replay/golden-case.ts';
import type { Call } from '../../../model/golden/replay/server-under-test.ts';

const CASES = join(import.meta.dirname, '../../../model/golden/cases');
const UTF8 = new TextEncoder();

/** Every case plays in this namespace. */
export const NAMESPACE = 'default';

export function recordedCalls(): readonly Call[] {
  const calls: Call[] = [];
  for (const file of readdirSync(CASES).sort()) {
    for (const line of readFileSync(join(CASES, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const { setup = [], steps } = JSON.parse(line) as GoldenCase;
      for (const { request, watchOpen } of [...setup, ...steps]) {
        if (request) calls.push(callOf(request));
        if (watchOpen) calls.push(callOf({ method: 'GET', ...watchOpen }));
      }
    }
  }
  return calls;
}

/** Variables other than the namespace are only known in a replay. */
const filled = (text: string): string => text.replaceAll('${ns}', NAMESPACE).replace(/\$\{[a-zA-Z]+\}/g, 'x');

function callOf({ method, path, query = {}, headers = {}, as, contentType, ...rest }: RequestStep): Call {
  const sent: Record<string, string> = { accept: 'application/json', 'user-agent': 'attack/1' };
  if (as !== 'anonymous') sent['authorization'] = `Bearer ${as ?? 'admin'}-token`;
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete sent[name.toLowerCase()];
    else sent[name.toLowerCase()] = filled(value);
  }
  const body = bodyOf(rest);
  if (body && contentType !== '') sent['content-type'] = contentType ?? 'application/json';
  return { method, path: filled(path) + queryText(query), headers: sent, ...(body && { body }) };
}

function bodyOf({
  body,
  bodyText,
  bodyBase64,
}: Pick<RequestStep, 'body' | 'bodyText' | 'bodyBase64'>): Uint8Array | undefined {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  if (bodyText !== undefined) return UTF8.encode(filled(bodyText));
  return body === undefined ? undefined : UTF8.encode(filled(JSON.stringify(body)));
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(
      (each) => `${encodeURIComponent(name)}=${encodeURIComponent(filled(each))}`,
    ),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
