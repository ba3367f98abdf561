/**
 * Processes that have to run for anybody to know what they do, beside what their script says: lines and end are those of
 * the life that came to it, through any crashes of the agent, and what a former life has written is gone with it.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Context } from '../../engine/context.ts';
import { Simulation } from '../../engine/simulation.ts';
import { milliseconds } from '../../engine/time.ts';
import { outputOf } from './container-output.ts';
import { runProcess } from './container-process.ts';
import { ContainerRuntime, type RuntimeContainer } from './container-runtime.ts';
import { WrittenLines } from './written-lines.ts';

type Step = { readonly says: string } | { readonly sleeps: number };

interface Story {
  readonly steps: readonly Step[];
  readonly exitCode: number;
  /** Each: how long the agent lives, and how long it is away then. */
  readonly lives: readonly (readonly [livesMs: number, awayMs: number])[];
}

const END_MS = 60_000;

const scriptOf = ({ steps, exitCode }: Story): string =>
  [
    ...steps.map((step) => ('says' in step ? `echo ${step.says}` : `sleep ${step.sleeps}`)),
    `exit ${exitCode}`,
  ].join('; ');

/** What is in the log at the end, each line with its time, and when the container has ended. */
function expected({ steps, lives }: Story): { readonly lines: readonly string[]; readonly endMs: number } {
  const spans = lives.map(([livesMs, awayMs], index) => {
    const before = lives.slice(0, index).reduce((sum, [lived, away]) => sum + lived + away, 0);
    return { fromMs: before, untilMs: before + livesMs, awayMs };
  });
  const last = spans.at(-1);
  const all = [...spans, { fromMs: (last?.untilMs ?? 0) + (last?.awayMs ?? 0), untilMs: Infinity }];
  for (const { fromMs, untilMs } of all) {
    let atMs = fromMs;
    const lines: string[] = [];
    for (const step of steps)
      if ('says' in step) lines.push(`${step.says} at ${Math.round(atMs)}`);
      else atMs += step.sleeps * 1_000;
    if (atMs < untilMs) return { lines, endMs: atMs };
  }
  throw new Error('the last life comes to the end');
}

function played(story: Story): { readonly lines: readonly string[]; readonly end: object } {
  const runtime = new ContainerRuntime();
  const simulation = new Simulation({ seed: 5 });
  let container: RuntimeContainer | undefined;
  const start = (context: Context): void => {
    container ??= runtime.start(context, specOf(story), context.now() / 1_000);
    if (runtime.fateOf(container.id, context.now() / 1_000).kind === 'ended') return;
    const own = container;
    const process = () => runtime.processOf(own, context.now() / 1_000);
    context.spawn('process', runProcess({ context, runtime, container: own, process }));
  };
  const actor = simulation.actor('node', { start });
  for (const [livesMs, awayMs] of story.lives) {
    simulation.runFor(milliseconds(livesMs));
    actor.crash();
    simulation.runFor(milliseconds(awayMs));
    actor.restart();
  }
  simulation.runFor(milliseconds(END_MS));
  if (!container) throw new Error('it has begun');
  const lines = outputOf(container, { untilMs: Infinity }).map(
    ({ text, atMs }) => `${text} at ${Math.round(atMs)}`,
  );
  return { lines, end: runtime.fateOf(container.id, simulation.now / 1_000) };
}

const specOf = (story: Story) => ({
  podUid: 'u',
  podName: 'web',
  podNamespace: 'default',
  name: 'main',
  image: 'busybox',
  command: ['sh', '-c', scriptOf(story)],
  environment: [],
  behaviour: {},
  restartCount: 0,
  written: new WrittenLines(),
});

const step = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((says): Step => ({ says })),
  fc.constantFrom(1, 3, 7).map((sleeps): Step => ({ sleeps })),
);
// No crash at the instant of a step: which of the two is first is not what this is about.
const span = fc.constantFrom(1, 500, 1_499, 3_501, 8_001);
const story = fc.record<Story>({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  exitCode: fc.constantFrom(0, 1, 42),
  lives: fc.array(fc.tuple(span, span), { maxLength: 3 }),
});

it('say in the life that comes to the end what they say, and end with their exit code', () => {
  fc.assert(
    fc.property(story, (drawn) => {
      const { lines, endMs } = expected(drawn);
      const { lines: said, end } = played(drawn);
      expect(said).toEqual(lines);
      const { exitCode } = drawn;
      expect(end).toMatchObject({ kind: 'ended', exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
      expect(Math.round(Reflect.get(end, 'atMs') as number)).toBe(Math.round(endMs));
    }),
    asOftenAs(200),
  );
});
