import { describe, expect, it } from 'vitest';
import { BehaviourError, behaviourOf, parseBehaviour, probeFinding } from './workload-behaviour.ts';

describe('the behaviour of a container', () => {
  it('comes from its own annotation, or from the one for all', () => {
    const annotations = {
      'behaviour.kubesim.dev/main': '{"exitCode":3}',
      'behaviour.kubesim.dev/*': '{"runsForSeconds":9}',
    };
    expect(behaviourOf({ annotations }, 'main')).toEqual({ exitCode: 3 });
    expect(behaviourOf({ annotations }, 'side')).toEqual({ runsForSeconds: 9 });
    expect(behaviourOf({}, 'main')).toEqual({});
  });

  it.each([
    ['{', 'JSON'],
    ['[]', 'expected a JSON object'],
    ['{"runs":1}', 'unknown member "runs"'],
    ['{"exitCode":-1}', 'exitCode: expected a whole number from 0'],
    ['{"preStop":{"fails":1}}', 'preStop: fails: expected true or false'],
    ['{"postStart":3}', 'postStart: expected a JSON object'],
    ['{"ignoresTerm":1}', 'ignoresTerm: expected true or false'],
  ])('that reads %s is refused', (text, why) => {
    expect(() => parseBehaviour(text)).toThrow(BehaviourError);
    expect(() => parseBehaviour(text)).toThrow(why);
  });
});

describe('a probe', () => {
  const behaviour = {
    readyAfterSeconds: 5,
    failsProbes: [{ probe: 'readiness', fromSeconds: 10, toSeconds: 20 }],
  } as const;
  it.each([
    ['readiness', 4, false],
    ['startup', 4, false],
    ['liveness', 4, true],
    ['readiness', 5, true],
    ['readiness', 10, false],
    ['liveness', 10, true],
    ['readiness', 20, true],
  ] as const)('for %s after %i s: %s', (probe, age, succeeds) => {
    expect(probeFinding(behaviour, probe, age) === 'fine').toBe(succeeds);
  });
});
