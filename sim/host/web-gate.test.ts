import { expect, it } from 'vitest';
import { WebGate } from './web-gate.ts';

const gate = new WebGate({ bindAddress: '127.0.0.1', allowedHosts: [] });
const asked = (origin?: string, authorization?: string) =>
  gate.problem('POST', { host: '127.0.0.1:6443', origin, authorization });

it.each([
  [undefined, undefined, true],
  ['http://127.0.0.1:6443', undefined, true],
  ['https://evil.example', undefined, false],
  // As Go's WebSocket clients say by themselves; no page can send a token.
  ['http://localhost', 'Bearer abc', true],
  ['https://evil.example', 'bearer abc', true],
  // A page can, by an address with a password in it.
  ['https://evil.example', 'Basic YTpi', false],
  ['https://evil.example', '', false],
] as const)('a request of the origin %s with %j is let in: %s', (origin, authorization, isLetIn) => {
  expect(asked(origin, authorization) === undefined).toBe(isLetIn);
});
