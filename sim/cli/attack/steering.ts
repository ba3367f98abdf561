/**
 * Steers a served world with nodes in ways that make no sense: faults, clocks, restarts, clusters and snapshots, and what the
 * agents of nodes are asked. Time is wound on by users who lose their patience; nobody else may wait for that.
 */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import { EVERY_CONTROLLER } from '../../cluster/create-cluster.ts';
import { commandFor, type Tally } from './finding.ts';
import type { FuzzOptions } from './fuzz.ts';
import { mutated } from './mutate.ts';
import { nodeCall } from './node-calls.ts';
import { type AttackedPorts, attackedPorts } from './ports.ts';
import { Random } from './random.ts';
import { steeringCall } from './steering-calls.ts';

const AT_ONCE = 8;
/** Whoever asks for years to go by waits no longer. */
const PATIENCE_MS = 1_000;
/** On a busy machine as well. */
const NEW_WORLD_MS = 30_000;
/** Rounds in one world: by then there is little left to break. */
const ROUNDS_PER_WORLD = 25;
const WORLD = { nodes: 2, controllers: EVERY_CONTROLLER };

export async function attackSteering({ seed, isOver, onProgress }: FuzzOptions, tally: Tally): Promise<void> {
  const random = new Random(seed);
  const ports = await attackedPorts(WORLD);
  try {
    for (let round = 1; !isOver(tally); round++) {
      const calls = Array.from({ length: AT_ONCE }, () => drawn(random));
      const statuses = await Promise.all(calls.map((call) => statusOf(ports.http, call)));
      tally.requests += calls.length;
      for (const [at, call] of calls.entries())
        if (statuses[at] === 500 && call.path.includes('/kubesim/v1/')) note(tally, '500', call);
      for (const text of ports.takeDefects()) note(tally, text, undefined);
      if (round % ROUNDS_PER_WORLD === 0 && !(await beginsAnew(ports))) {
        note(tally, 'no new world', undefined);
        return;
      }
      onProgress(tally);
    }
  } finally {
    await ports.serving.stop();
  }

  function note(counted: Tally, what: string, call: Call | undefined): void {
    counted.defects++;
    if (counted.findings.some((known) => known.what === what)) return;
    const calls = call ? [call] : [];
    const command = call
      ? commandFor(calls)
      : `npm run attack -- --only steering --seed ${seed} --count ${counted.requests}`;
    counted.findings.push({ what, calls, command });
  }
}

function drawn(random: Random): Call {
  const call = random.oneIn(2) ? nodeCall(random) : steeringCall(random);
  return random.oneIn(4) ? mutated(call, random) : call;
}

/** Undefined: it was broken off, or nothing came in time. */
async function statusOf(url: URL, { method, path, headers, body }: Call): Promise<number | undefined> {
  try {
    const answer = await fetch(new URL(path, url), {
      method,
      headers,
      ...(body && method !== 'GET' && method !== 'HEAD' && { body }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return undefined;
  }
}

/** Whatever was done to the world, a new one is whole, and there soon. */
async function beginsAnew({ http, isAlive }: AttackedPorts): Promise<boolean> {
  const headers = { authorization: 'Bearer admin-token', 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(NEW_WORLD_MS);
  try {
    const reset = new URL('/kubesim/v1/reset', http);
    const answer = await fetch(reset, { method: 'POST', headers, body: '{}', signal });
    return answer.status === 200 && (await isAlive());
  } catch {
    return false;
  }
}
