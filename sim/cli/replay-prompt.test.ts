import { afterEach, describe, expect, test } from 'vitest';
import { loadScenario } from '../../scenarios/language/load-scenario.ts';
import type { Stop } from '../../scenarios/runner/going-back.ts';
import { createClusterWorld } from '../../scenarios/world/cluster-world.ts';
import { BadCommand, ReplayPrompt } from './replay-prompt.ts';
import { parseStop } from './stop-expression.ts';

const STORY = `apiVersion: kubesim.dev/v1
kind: Scenario
metadata: { name: story }
spec:
  cluster: { nodes: 1 }
  steps:
    - create: { apiVersion: v1, kind: Pod, metadata: { name: web-0, namespace: default }, spec: { containers: [{ name: c, image: 'a:1' }] } }
    - advance: 10s
    - fault: { partition: { from: node/worker-1 } }
    - fault: { crash: { actor: scheduler/0 } }
    - delete: { kind: Pod, name: web-0 }
    - advance: 20s
    - fault: { heal: { from: node/worker-1 } }
    - advance: 40s
`;

let open: ReplayPrompt | undefined;
afterEach(() => {
  open?.close();
  open = undefined;
});

async function standing(stop: Stop): Promise<(line: string) => Promise<string>> {
  const result = loadScenario('story.yaml', STORY);
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join());
  const past = { loaded: result.loaded, seed: 1, replay: undefined, makeWorld: createClusterWorld };
  const prompt = await ReplayPrompt.at(past, stop);
  open = prompt;
  return async (line) => (line === 'place' ? prompt.place : ((await prompt.answer(line)) ?? 'the end'));
}

function momentOf(text: string): Stop {
  const parsed = parseStop(text);
  if (parsed.kind === 'wrong') throw new Error(parsed.message);
  return { when: parsed.moment };
}

describe('a run that stands still', () => {
  test('at an instant shows what there was then', async () => {
    const ask = await standing({ until: 5_000_000 });
    expect(await ask('place')).toMatch(/^at 5s, revision \d+$/);
    expect(await ask('objects pods')).toBe('Pod default/web-0');
    expect(await ask('show pod web-0')).toContain('phase: Running');
    expect(await ask('show pods default/web-0')).not.toContain('managedFields');
    expect(await ask('actor node/worker-1')).toMatch(
      /^node\/worker-1: running, life 1\nruns default\/web-0 c/,
    );
    expect(await ask('actor controller-manager/0')).toMatch(/knows 1 of Pod$/m);
    expect(await ask('actors')).toMatch(/^scheduler\/0: running/m);
  });

  test('goes on, and back again, and stands where it stood', async () => {
    const ask = await standing({ until: 5_000_000 });
    const trace = await ask('trace 50');
    expect(await ask('run +6s')).toMatch(/^at 11s/);
    expect(await ask('show pod web-0')).toContain('deletionTimestamp');
    expect(await ask('actors')).toMatch(/^scheduler\/0: crashed/m);
    expect(await ask('actor node/worker-1')).toContain('link node/worker-1 > apiserver/0: partitioned');
    await ask('run 5s');
    expect(await ask('trace 50')).toBe(trace);
    expect(await ask('run 1h')).toMatch(/^the run is over at 1m10/);
  });

  test('goes on event by event', async () => {
    const ask = await standing(momentOf('created pods web-0'));
    const [before, once] = [await ask('trace 1'), await ask('step')];
    expect(once).not.toContain(before);
    await ask('step 2');
    const thrice = await ask('trace 1');
    const again = await standing(momentOf('created pods web-0'));
    await again('step 3');
    expect(await again('trace 1')).toBe(thrice);
  });

  test('shows messages on their way', async () => {
    const ask = await standing(momentOf('created pods web-0'));
    expect(await ask('flight')).toContain('apiserver/0 > user/test: answer 201');
  });

  test('parts into two futures from one past', async () => {
    const ask = await standing({ until: 5_000_000 });
    expect(await ask('branch 7 1s')).toBe('at 6s, parted at 5s: here, and with seed 7 (the twin)\nthe same');
    expect(await ask('branch 7 8 2h')).toMatch(
      /: with seed 7, and with seed 8 \(the twin\)\nwith seed 7 the run is over at 1m10\.\d+s\nwith seed 8 the run is over/,
    );
  });

  test('knows kinds by their short names, and says what is unheard of by whom', async () => {
    const ask = await standing(momentOf('created po web-0'));
    expect(await ask('show po web-0')).toContain('name: web-0');
    expect(await ask('actor controller-manager/0')).toMatch(
      /^knows 0 of Pod\n {2}not default\/web-0; stored is \d+$/m,
    );
    expect(await ask('objects pvc')).toMatch(/^there are no pvc at /);
    expect(await ask('break deleted cm web-0')).toMatch(
      /^there is no such moment any more: the run is over at/,
    );
  });

  test('goes on by what happens, not by the clock', async () => {
    const ask = await standing({ until: 5_000_000 });
    const before = await ask('trace 1');
    const [, last] = /; last: (.*)$/.exec(await ask('step')) ?? [];
    expect(last).not.toBe(before);
    expect(await ask('trace 1')).toBe(last);
  });
});

describe('a run stops right after', () => {
  test.each([
    ['created pods web-0', /^at [1-9][.\d]*ms/],
    ['marked Pod default/web-0', /^at 10\.\d+s/],
    ['deleted pods', /^at [3-7]\d\.\d+s/],
    ['crashed scheduler/0', /^at 10\.?\d*s/],
    ['/DELETE .*web-0/', /^at 10\.\d+s/],
    ['deleted secrets', /^the run is over at/],
  ])('%s', async (text, place) => {
    const ask = await standing(momentOf(text));
    expect(await ask('place')).toMatch(place);
  });

  test('the next of its kind, when asked again', async () => {
    const ask = await standing(momentOf('changed pods web-0'));
    const first = await ask('place');
    const second = await ask('break changed pods web-0');
    expect(second).toMatch(/^at /);
    expect(second).not.toContain(first);
  });
});

describe('what makes no sense is told precisely', () => {
  test.each([
    [
      'delete pods',
      /`delete` is nothing that happens; did you mean `deleted`\?|`delete` is nothing that happens.*deleted/,
    ],
    ['deleted pods web-0 now', /`now` is too much after `deleted`/],
    ['/[/', /`\/\[\/` is no pattern/],
    ['/abc', /does not end with/],
  ])('%s', (text, message) => {
    const parsed = parseStop(text);
    expect(parsed.kind === 'wrong' && parsed.message).toMatch(message);
  });

  test.each([
    ['objects claims', /there is no kind `claims`/],
    ['show podz web-0', /there is no kind `podz`; did you mean `Pod`\?/],
    ['actor', /expected: actor NAME/],
    ['branch 7', /expected: branch SEED TIME/],
    ['objekts', /there is no command `objekts`.*objects/],
    ['show pod', /expected: show KIND NAME/],
    ['show pod web-7', /there is no pod web-7 at 5s/],
    ['actor node/worker-9', /there is no actor `node\/worker-9`/],
    ['run later', /`later` is no time; expected one such as 12.5s/],
    ['step -1', /`-1` is no number/],
    ['branch x 1s', /expected: branch SEED TIME/],
  ])('%s', async (line, message) => {
    const ask = await standing({ until: 5_000_000 });
    const refused = ask(line);
    await expect(refused).rejects.toThrow(BadCommand);
    await expect(refused).rejects.toThrow(message);
  });
});
