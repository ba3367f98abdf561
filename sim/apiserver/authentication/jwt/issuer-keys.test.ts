import { expect, it } from 'vitest';
import { begin, type Process } from '../../../engine/process.ts';
import { Deferred } from '../../../engine/signal.ts';
import { type HttpOutcome, objectBody } from '../../../api/http-call.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';
import { IssuerKeys } from './issuer-keys.ts';
import type { RuledAuthenticator } from './jwt-shapes.ts';
import { readSignedToken } from './signed-token.ts';

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = readSignedToken(`${base64({ alg: 'RS256' })}.${base64({ iss: 'https://a' })}.AAAA`);

it('fetches keys anew after the one for whom they were fetched has gone away', () => {
  const fetches: Deferred<HttpOutcome>[] = [];
  const surroundings = {
    wallMs: () => 0,
    call: () => {
      const fetch = new Deferred<HttpOutcome>();
      fetches.push(fetch);
      return fetch.wait();
    },
  } as unknown as ApiServerSurroundings;
  const keys = new IssuerKeys(surroundings, { issuer: 'https://a' } as RuledAuthenticator, () => false);
  const check = (): Process<void> => {
    if (!token) throw new Error('the token cannot be read');
    return keys.check(token);
  };
  const discovery = begin(keys.discover(() => undefined));
  const document = { issuer: 'https://a', jwks_uri: 'https://a/keys' };
  fetches[0]?.resolve({ kind: 'answer', answer: { status: 200, body: objectBody(document) } });
  if (!discovery.isOver) for (const _ of ['its first wait', 'its end']) discovery.rest.next();
  const first = begin(check());
  expect(first.isOver).toBe(false);
  if (!first.isOver) first.rest.return();
  expect(begin(check()).isOver).toBe(false);
  expect(fetches.length).toBe(3);
});
