import { expect, test } from 'vitest';
import type { Context } from './context.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { milliseconds, seconds } from './time.ts';

function* ticks(context: Context, name: string, heard: string[]): Process<void> {
  for (;;) {
    yield* context.sleep(seconds(1));
    heard.push(`${name}@${context.now() / 1e6}`);
  }
}

function actorWithParts() {
  const heard: string[] = [];
  const simulation = new Simulation({ seed: 1 });
  const actor = simulation.actor('a');
  const [one, two] = ['one', 'two'].map((name) => {
    const { part, context } = actor.context.part(name);
    context.spawn(name, ticks(context, name, heard));
    return part;
  });
  simulation.runUntil(simulation.now);
  if (!one || !two) throw new Error('two parts');
  return { simulation, actor, one, two, heard };
}

test('a part stands still while the rest of its actor goes on, and catches up in order', () => {
  const { simulation, one, heard } = actorWithParts();
  simulation.runUntil(milliseconds(1_500));
  one.pause();
  simulation.runUntil(milliseconds(3_500));
  expect(heard).toEqual(['one@1', 'two@1', 'two@2', 'two@3']);
  one.resume();
  simulation.runUntil(milliseconds(4_600));
  expect(heard.slice(4)).toEqual(['one@3.5', 'two@4', 'one@4.5']);
});

test('a pause of the actor holds its parts, and one of a part outlasts it', () => {
  const { simulation, actor, one, heard } = actorWithParts();
  actor.pause();
  one.pause();
  simulation.runUntil(milliseconds(2_500));
  expect(heard).toEqual([]);
  actor.resume();
  simulation.runUntil(milliseconds(3_600));
  expect(heard).toEqual(['two@2.5', 'two@3.5']);
  one.resume();
  simulation.runUntil(milliseconds(3_700));
  expect(heard.slice(2)).toEqual(['one@3.6']);
});

test('a part that is resumed while its actor is paused waits for its actor', () => {
  const { simulation, actor, one, heard } = actorWithParts();
  one.pause();
  simulation.runUntil(milliseconds(1_500));
  actor.pause();
  one.resume();
  simulation.runUntil(milliseconds(2_500));
  expect(heard).toEqual(['two@1']);
  actor.resume();
  simulation.runUntil(milliseconds(2_600));
  expect(heard).toEqual(['two@1', 'one@2.5', 'two@2.5']);
});

test('a part that has ended does nothing any more, nor does one of a crashed actor', () => {
  const { simulation, actor, one, two, heard } = actorWithParts();
  one.end();
  simulation.runUntil(milliseconds(1_500));
  actor.crash();
  two.resume();
  simulation.runUntil(milliseconds(3_500));
  expect(heard).toEqual(['two@1']);
  expect([simulation.pendingCount, one.standing, two.standing]).toEqual([0, 'ended', 'ended']);
  actor.restart();
  simulation.runUntil(milliseconds(5_500));
  expect(heard).toEqual(['two@1']);
});

test('chance is asked at sites of the part', () => {
  const actor = new Simulation({ seed: 1 }).actor('a');
  const { context } = actor.context.part('one');
  expect(context.site('x').name).toBe('a/one:x');
  expect([context.name, context.incarnation]).toEqual(['a', 1]);
});
