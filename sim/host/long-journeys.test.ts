/** Time that goes by for long, in a world with much to do: whoever asks for it keeps nobody else waiting. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import { serve, type ServeOptions, type Serving } from './serve.ts';

const OPTIONS: ServeOptions = {
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 0,
  nodes: 3,
  controllers: EVERY_CONTROLLER,
  onDefect: (error) => {
    throw error;
  },
};

const elapsedIn = async (answer: Response): Promise<number> =>
  ((await answer.json()) as { readonly elapsedMicros: number }).elapsedMicros;

describe('a long journey of the clock', () => {
  const YEARS = JSON.stringify({ advance: '87600h' });
  const JSON_TYPE = { 'content-type': 'application/json' };
  let serving: Serving;
  let clock: string;
  const elapsed = async (): Promise<number> => elapsedIn(await fetch(clock));
  const move = (signal: AbortSignal, body = YEARS): Promise<Response> =>
    fetch(clock, { method: 'POST', headers: JSON_TYPE, body, signal });
  beforeAll(async () => {
    serving = await serve(OPTIONS);
    clock = `${serving.urls[0] ?? ''}/kubesim/v1/clock`;
  });
  afterAll(() => serving.stop());

  test('keeps nobody else waiting, and ends with the patience of who asked for it', async () => {
    const patience = new AbortController();
    const journey = move(patience.signal).catch(() => 'given up');
    const early = await elapsed();
    expect((await fetch(`${serving.urls[0] ?? ''}/readyz`)).status).toBe(200);
    expect(await elapsed()).toBeGreaterThan(early);
    patience.abort();
    expect(await journey).toBe('given up');
    await expect.poll(async () => (await elapsed()) - (await elapsed())).toBe(0);
  });

  test('begins where the one before ends, and each is answered at its end', async () => {
    const start = await elapsed();
    const { signal } = new AbortController();
    const bodies = ['20m', '1s'].map((advance) => JSON.stringify({ advance }));
    const ends = await Promise.all(bodies.map(async (body) => elapsedIn(await move(signal, body))));
    expect(Math.max(...ends) - start).toBe(1_201_000_000);
    expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0))).toBeGreaterThanOrEqual(1_000_000);
  });

  test('is over when its world is', async () => {
    const journey = move(new AbortController().signal);
    await elapsed();
    const reset = clock.replace('clock', 'reset');
    expect((await fetch(reset, { method: 'POST', headers: JSON_TYPE, body: '{}' })).status).toBe(200);
    expect((await journey).status).toBe(200);
  });
});
