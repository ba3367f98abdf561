/**
 * A console amid who comes and goes: the process reads all that is typed, in order, until its input ends; each who is
 * attached sees what is written while he is. A process that begins anew goes on with what the former has not read.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { ContainerConsole } from './container-console.ts';
import { TOO_MUCH_UNREAD } from './typed-bytes.ts';

type Act =
  | { readonly act: 'attach' | 'leave' | 'detach'; readonly who: number }
  | { readonly act: 'type'; readonly text: string }
  | { readonly act: 'begin anew' };

const who = fc.nat({ max: 2 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    act: fc.constantFrom('attach' as const, 'attach' as const, 'leave' as const, 'detach' as const),
    who,
  }),
  fc.record({ act: fc.constant('type' as const), text: fc.constantFrom('a', 'b', 'c') }),
  fc.constant({ act: 'begin anew' as const }),
);

interface Seen {
  readonly read: readonly string[];
  readonly hasEnded: boolean;
  readonly shown: readonly (readonly string[])[];
}

/** The process says after whom it is what it reads; whoever is there to see it, sees it. */
function played(acts: readonly Act[], isOnce: boolean): Seen {
  const simulation = new Simulation({ seed: 1 });
  const { context } = simulation.actor('node');
  const console = new ContainerConsole({ isOnce, isTerminal: false });
  const read: string[] = [];
  let hasEnded = false;
  const shown: string[][] = [[], [], []];
  const attached: (undefined | (() => void))[] = [];
  function* main() {
    for (let bytes = yield* console.read(); bytes; bytes = yield* console.read()) {
      read.push(new TextDecoder().decode(bytes));
      console.show(bytes, 'stdout');
    }
    hasEnded = true;
  }
  let life = context.spawn('process', main());
  for (const step of acts) {
    if (step.act === 'type') console.type(new TextEncoder().encode(step.text));
    else if (step.act === 'attach')
      attached[step.who] ??= console.attach((piece) =>
        shown[step.who]?.push(new TextDecoder().decode(piece as Uint8Array)),
      );
    else if (step.act === 'begin anew') {
      life.cancel();
      life = context.spawn('process', main());
    } else {
      attached[step.who]?.();
      attached[step.who] = undefined;
      if (step.act === 'leave') console.leave();
    }
    simulation.runUntil(simulation.now);
  }
  return { read, hasEnded, shown };
}

function expected(acts: readonly Act[], isOnce: boolean): Seen {
  const read: string[] = [];
  const shown: string[][] = [[], [], []];
  const attached = new Set<number>();
  let hasEnded = false;
  for (const step of acts)
    if (step.act === 'attach') attached.add(step.who);
    else if (step.act === 'leave' || step.act === 'detach') {
      attached.delete(step.who);
      hasEnded ||= isOnce && step.act === 'leave';
    } else if (step.act === 'type' && !hasEnded) {
      read.push(step.text);
      for (const one of attached) shown[one]?.push(step.text);
    }
  return { read, hasEnded, shown };
}

it('is read by its process, and seen by who is there', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 20 }), fc.boolean(), (acts, isOnce) => {
      expect(played(acts, isOnce)).toEqual(expected(acts, isOnce));
    }),
    asOftenAs(300),
  );
});

it('takes again once somebody has read what lay there', () => {
  const console = new ContainerConsole({ isOnce: false, isTerminal: false });
  const piece = new Uint8Array(2 ** 25);
  expect([console.type(piece), console.type(piece), console.type(piece)]).toEqual([true, true, false]);
  expect(TOO_MUCH_UNREAD).toContain('64 MiB');
  const simulation = new Simulation({ seed: 1 });
  simulation.actor('node').context.spawn('process', console.read());
  simulation.runUntil(simulation.now);
  expect(console.type(piece)).toBe(true);
});
