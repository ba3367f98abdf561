import { describe, expect, it } from 'vitest';
import { bodyObject, type HttpEndpoint, objectBody } from '../api/http-call.ts';
import { engineSurroundings } from '../cluster/engine-surroundings.ts';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds, seconds } from '../engine/time.ts';
import { serveHttp } from './http-port.ts';

const HOOK: HttpEndpoint = { kind: 'actor', actor: 'hook', port: 8443 };

/** Somebody who answers after as many milliseconds as the body says, and an API server's surroundings. */
function serving() {
  const simulation = new Simulation({ seed: 1 });
  const seen: string[] = [];
  const hook = simulation.actor('hook', {
    start: (context) =>
      serveHttp(context, 8443, function* ({ method, path, headers, body }, peer) {
        seen.push(`${method} ${path} ${headers?.['content-type'] ?? ''} from ${peer}`);
        const { afterMs } = bodyObject(body) as { readonly afterMs: number };
        yield* context.sleep(milliseconds(afterMs));
        return { status: 200, body: objectBody({ by: context.incarnation }) };
      }),
  });
  const server = simulation.actor('apiserver');
  const surroundings = engineSurroundings(server.context);
  const call = (afterMs: number, endpoint = HOOK) =>
    server.spawn('call', () =>
      surroundings.call(
        endpoint,
        {
          method: 'POST',
          path: '/review?timeout=1s',
          headers: { 'content-type': 'application/json' },
          body: objectBody({ afterMs }),
        },
        1_000,
      ),
    );
  return { simulation, hook, call, seen };
}

const answeredBy = (incarnation: number) => ({
  kind: 'answer',
  answer: { status: 200, body: objectBody({ by: incarnation }) },
});

describe('a call of an API server to an actor', () => {
  it('takes method, path, headers and body there, and the answer back', () => {
    const { simulation, call, seen } = serving();
    expect(simulation.finish(call(5))).toEqual(answeredBy(1));
    expect(seen).toEqual(['POST /review?timeout=1s application/json from apiserver']);
  });

  it('is refused where nobody listens, and by whom there is not', () => {
    const { simulation, call, seen } = serving();
    expect(simulation.finish(call(5, { ...HOOK, port: 80 }))).toEqual({ kind: 'refused' });
    expect(simulation.finish(call(5, { ...HOOK, actor: 'nobody' }))).toEqual({ kind: 'refused' });
    expect(seen).toEqual([]);
  });

  it('ends when its time is over, whatever comes of it', () => {
    const { simulation, call, seen } = serving();
    expect(simulation.finish(call(1_500))).toEqual({ kind: 'timeout' });
    expect(simulation.now).toBe(seconds(1));
    expect(seen).toHaveLength(1);
    expect(simulation.finish(call(1))).toEqual(answeredBy(1));
  });

  it('is reset by a callee that crashes amid it, refused while that is down, and answered by its next life', () => {
    const { simulation, hook, call } = serving();
    const underWay = call(500);
    simulation.runFor(milliseconds(100));
    hook.crash();
    expect(simulation.finish(underWay)).toEqual({ kind: 'reset' });
    expect(simulation.finish(call(1))).toEqual({ kind: 'refused' });
    hook.restart();
    expect(simulation.finish(call(1))).toEqual(answeredBy(2));
  });

  it('is reset with its connection, and dials anew', () => {
    const { simulation, call } = serving();
    const underWay = call(500);
    simulation.runFor(milliseconds(100));
    simulation.network.reset('apiserver', 'hook');
    expect(simulation.finish(underWay)).toEqual({ kind: 'reset' });
    expect(simulation.finish(call(1))).toEqual(answeredBy(1));
  });

  it('does not come through a partition, and does after it', () => {
    const { simulation, call } = serving();
    simulation.network.partition('apiserver', 'hook');
    expect(simulation.finish(call(1))).toEqual({ kind: 'timeout' });
    simulation.network.heal('apiserver', 'hook');
    // The attempt to connect ends at the same instant as the call that began it.
    simulation.runFor(milliseconds(1));
    expect(simulation.finish(call(1))).toEqual(answeredBy(1));
  });
});

it('a real URL is out of reach of a simulation', () => {
  const { simulation, call } = serving();
  expect(simulation.finish(call(1, { kind: 'url', url: 'https://hooks.example.com' }))).toEqual({
    kind: 'unreachable',
    message: 'https://hooks.example.com: there is no way out of a simulation',
  });
});
