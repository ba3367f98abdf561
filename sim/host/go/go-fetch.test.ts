import { describe, expect, it } from 'vitest';
import type { AskedRequest, Heard } from '../guest/exchange.ts';
import { type AskedAddress, goFetch, GoAbortController, GoHeaders } from './go-fetch.ts';

/** What Go finds in an answer. */
interface Answer {
  readonly status: number;
  readonly headers: GoHeaders;
  readonly body: Reader | null;
}
interface Reader {
  getReader(): Reader;
  read(): Promised;
  cancel(): void;
}
interface Promised {
  then(kept: (value: unknown) => void, broken: (error: unknown) => void): void;
}

const asPromise = (promised: Promised): Promise<unknown> =>
  new Promise((resolve, reject) => promised.then(resolve, reject));

function asking() {
  const asked: { address: AskedAddress; request: AskedRequest; heard: Heard }[] = [];
  let givenUp = 0;
  const fetch = goFetch((address, request, heard) => {
    if (address.host === 'nowhere') throw new Error('there is no such place');
    asked.push({ address, request, heard });
    return () => void givenUp++;
  });
  return { asked, fetch, givenUp: () => givenUp };
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = async (reader: Reader): Promise<string> => {
  const read = (await asPromise(reader.read())) as { done: boolean; value?: Uint8Array };
  return read.done ? '(over)' : new TextDecoder().decode(read.value);
};

describe('fetch for Go', () => {
  it('asks where the address says, with what a client of HTTP adds', () => {
    const { asked, fetch } = asking();
    const headers = new GoHeaders();
    headers.append('Accept', 'application/json');
    headers.append('X-Twice', 'a');
    headers.append('x-twice', 'b');
    const body = bytes('{}');
    fetch('https://10.96.0.1/api/v1/pods?limit=5&q=a%20b', { method: 'POST', headers, body });
    body.fill(0);
    fetch('http://other:8080/metrics');
    expect(asked.map(({ address, request }) => ({ address, request }))).toEqual([
      {
        address: { host: '10.96.0.1', port: 443, isEncrypted: true },
        request: {
          method: 'POST',
          path: '/api/v1/pods',
          query: 'limit=5&q=a%20b',
          headers: {
            'user-agent': 'node',
            accept: 'application/json',
            'x-twice': 'a, b',
            host: '10.96.0.1',
            connection: 'close',
            'content-length': '2',
          },
          body: bytes('{}'),
        },
      },
      {
        address: { host: 'other', port: 8080, isEncrypted: false },
        request: {
          method: 'GET',
          path: '/metrics',
          query: '',
          headers: { 'user-agent': 'node', host: 'other:8080', connection: 'close' },
        },
      },
    ]);
  });

  it('hears an answer bit by bit, whoever is first: what is said or who reads it', async () => {
    const { asked, fetch } = asking();
    const promised = asPromise(fetch('https://kubernetes/'));
    const heard = asked[0]?.heard;
    heard?.answered(200, [
      ['Content-Type', 'text/plain'],
      ['Warning', '299 - "a"'],
      ['warning', '299 - "b"'],
    ]);
    heard?.piece(bytes('first'));
    const { status, headers, body } = (await promised) as Answer;
    expect([status, ...headers.entries()]).toEqual([
      200,
      ['content-type', 'text/plain'],
      ['warning', '299 - "a", 299 - "b"'],
    ]);
    const reader = body?.getReader();
    if (!reader) throw new Error('expected a body');
    expect(await textOf(reader)).toBe('first');
    const second = textOf(reader);
    heard?.piece(bytes('second'));
    expect(await second).toBe('second');
    heard?.ended();
    expect([await textOf(reader), await textOf(reader)]).toEqual(['(over)', '(over)']);
  });

  it.each([
    [204, 'GET'],
    [304, 'GET'],
    [200, 'HEAD'],
  ])('finds no body where there is none: %i of %s', async (status, method) => {
    const { asked, fetch } = asking();
    const promised = asPromise(fetch('https://kubernetes/', { method }));
    asked[0]?.heard.answered(status, []);
    expect(((await promised) as Answer).body).toBeNull();
  });

  it('fails where nobody answers, or breaks off', async () => {
    const { asked, fetch } = asking();
    await expect(asPromise(fetch('http://nowhere/'))).rejects.toThrow('fetch failed');
    const refused = asPromise(fetch('https://kubernetes/'));
    asked[0]?.heard.failed(new Error('connect ECONNREFUSED'));
    await expect(refused).rejects.toMatchObject({ cause: { message: 'connect ECONNREFUSED' } });
    const answered = asPromise(fetch('https://kubernetes/'));
    asked[1]?.heard.answered(200, []);
    const reader = ((await answered) as Answer).body?.getReader();
    asked[1]?.heard.piece(bytes('half'));
    asked[1]?.heard.failed(new Error('read ECONNRESET'));
    expect(reader && (await textOf(reader))).toBe('half');
    await expect(reader && asPromise(reader.read())).rejects.toThrow('terminated');
  });

  it('gives up what is aborted, before and after the answer, once', async () => {
    const { asked, fetch, givenUp } = asking();
    const [early, late] = [new GoAbortController(), new GoAbortController()];
    const promised = asPromise(fetch('https://kubernetes/', { signal: early.signal }));
    early.abort();
    early.abort();
    await expect(promised).rejects.toMatchObject({ name: 'AbortError' });
    expect(givenUp()).toBe(1);
    const answered = asPromise(fetch('https://kubernetes/', { signal: late.signal }));
    asked[1]?.heard.answered(200, []);
    const reader = ((await answered) as Answer).body?.getReader();
    const reading = reader && asPromise(reader.read());
    late.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    reader?.cancel();
    expect(givenUp()).toBe(3);
  });
});
