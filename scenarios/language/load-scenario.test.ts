import { describe, expect, test } from 'vitest';
import { loadScenario, loadScenarios } from './load-scenario.ts';
import { formatProblems, type Problem } from './problem.ts';

const HEAD = `apiVersion: kubesim.dev/v1
kind: Scenario
metadata:
  name: sample
spec:
  steps:
`;

function problemsOf(text: string): readonly Problem[] {
  const result = loadScenario('sample.yaml', text);
  return result.kind === 'invalid' ? result.problems : [];
}

const withStep = (...lines: readonly string[]): string =>
  `${HEAD}${lines.map((line) => `    ${line}\n`).join('')}`;

const inCluster = (cluster: string): string =>
  `${HEAD.replace('  steps:\n', `  cluster: ${cluster}\n  steps:\n`)}    - advance: 1s\n`;
const POD = '- create: { apiVersion: v1, kind: Pod, metadata: { name: a, annotations: { ';

describe('a mistake in a scenario is named with its place', () => {
  test.each([
    [
      'an API version that is switched on and is not there',
      inCluster('{ runtimeConfig: { app/v1: true } }'),
      '6:39',
      /no API version `app\/v1` to serve or not; did you mean `api\/v1`\?/,
    ],
    [
      'an unknown admission plugin',
      inCluster('{ admission: { disable: [ServiceAcount] } }'),
      '6:37',
      /no admission plugin `ServiceAcount`; did you mean `ServiceAccount`\?/,
    ],
    ['an epoch that is no time', inCluster('{ epoch: yesterday }'), '6:21', /epoch is "yesterday"/],
    [
      'an unknown resource of a fault',
      withStep('- fault: { failRequests: { resource: pod } }'),
      '7:42',
      /no resource `pod`; did you mean `pods`\?/,
    ],
    [
      'an unknown verb of a fault',
      withStep('- fault: { failRequests: { verb: udpate } }'),
      '7:38',
      /verb is "udpate"/,
    ],
    [
      'a misspelt member of the behaviour of a container',
      withStep(`${POD}behaviour.kubesim.dev/main: '{"runsForSecond": 3}' } } }`),
      '7:108',
      /unknown member "runsForSecond"; there are runsForSeconds/,
    ],
    [
      'a misspelt prefix of the behaviour of a container',
      withStep(`${POD}behavior.kubesim.dev/main: '{}' } } }`)
        .replace('behavior', 'behaviour.')
        .replace('behaviour..', 'behaviour.x.'),
      '7:110',
      /did you mean `behaviour\.kubesim\.dev`\?/,
    ],
    [
      'a property throughout the run taken for one for a while',
      HEAD.replace(
        '  steps:\n',
        '  always: [{ name: n, for: 3s, get: { kind: Pod, name: a } }]\n  steps:\n',
      ) + '    - advance: 1s\n',
      '6:23',
      /unknown key `for` in spec\.always\[0\]; what stands in `spec.always` holds throughout the run; for a while, use the step `always`/,
    ],
    [
      'a property for a while taken for one throughout the run',
      withStep('- always: { get: { kind: Pod, name: a } }'),
      '7:15',
      /has no `for`; the step `always` lasts for a while; what holds throughout the run stands in `spec.always`/,
    ],
    [
      'a misspelt key of a step',
      withStep('- advanec: 5s'),
      '7:7',
      /unknown key `advanec` in spec\.steps\[0\]; did you mean `advance`\?/,
    ],
    [
      'a misspelt key of the spec',
      HEAD.replace('steps', 'stpes'),
      '6:3',
      /unknown key `stpes` in spec; did you mean `steps`\?/,
    ],
    [
      'an unknown kind of document',
      HEAD.replace('kind: Scenario', 'kind: Scenery'),
      '2:7',
      /kind is "Scenery"/,
    ],
    [
      'an unknown kind of object',
      withStep('- get: { kind: Pood, name: a }'),
      '7:20',
      /no kind `Pood` in v1; did you mean `Pod`\?/,
    ],
    [
      'a kind of another version',
      withStep('- get: { kind: Deployment, name: a }'),
      '7:20',
      /no kind `Deployment` in v1; it is in apps\/v1/,
    ],
    [
      'an unknown version',
      withStep('- get: { apiVersion: app/v1, kind: Deployment, name: a }'),
      '7:26',
      /no API version `app\/v1`; did you mean `apps\/v1`\?/,
    ],
    ['a wrong type', withStep('- list: { kind: Pod, limit: many }'), '7:33', /limit is "many"/],
    ['a number where text belongs', withStep('- get: { kind: Pod, name: 5 }'), '7:31', /name is 5, not text/],
    ['a bad duration', withStep('- advance: 5 parsecs'), '7:16', /advance is "5 parsecs"/],
    [
      'an unknown fault',
      withStep('- fault: { partiton: { from: a } }'),
      '7:16',
      /unknown fault `partiton` .*did you mean `partition`\?/,
    ],
    ['an undefined variable', withStep("- get: { kind: Pod, name: 'a-${nmae}' }"), '7:34', /variable `nmae`/],
    [
      'a variable that is defined too late',
      withStep("- get: { kind: Pod, name: '${later}' }", '- set: { later: a }'),
      '7:32',
      /variable `later`/,
    ],
    [
      'a stream that nothing opens',
      withStep('- events: { stream: none }'),
      '7:25',
      /no watch has opened the stream `none`/,
    ],
    [
      'an unknown matcher',
      withStep('- get: { kind: Pod, name: a }', '  expect: { body: { $macthes: x } }'),
      '8:25',
      /no matcher `\$macthes`; did you mean `\$matches`\?/,
    ],
    [
      'a path that leads nowhere',
      withStep('- get: { kind: Pod, name: a }', '  capture: { v: metadata.uid }'),
      '8:21',
      /`metadata\.uid` is not a path into an answer/,
    ],
    [
      'an unknown feature gate',
      withStep('- advance: 5s').replace('spec:', 'spec:\n  cluster: { featureGates: { Nonsense: true } }'),
      '6:40',
      /unrecognized feature gate: Nonsense/,
    ],
    [
      'a controller that is not modelled',
      withStep('- advance: 5s').replace(
        'spec:',
        'spec:\n  cluster: { controllers: [service-cidr-controller] }',
      ),
      '6:28',
      /"service-cidr-controller" is not modelled; there are .*garbage-collector-controller/,
    ],
    ['no verb', withStep('- name: nothing'), '7:7', /spec\.steps\[0\] has no verb/],
    ['two verbs', withStep('- advance: 5s', '  stop: a'), '7:7', /has 2 verbs: stop, advance/],
    ['a manifest without a kind', withStep('- create: { apiVersion: v1 }'), '7:15', /create has no `kind`/],
    ['a missing member', withStep('- get: { kind: Pod }'), '7:12', /get has no `name`/],
    ['no steps', `${HEAD.trimEnd()} []\n`, '6:10', /spec\.steps is empty/],
    ['YAML that does not parse', withStep('- advance: "5s'), '8:1', /YAML: Missing closing "quote/],
    ['a key given twice', withStep('- advance: 5s', '  advance: 6s'), '8:7', /YAML: Map keys must be unique/],
    ['an empty file', '', '1:1', /the file is empty/],
    [
      'a second document that is no scenario',
      `${withStep('- advance: 5s')}---\na: b\n`,
      '9:1',
      /unknown key `a` in the scenario/,
    ],
  ])('%s', (_, text, place, message) => {
    const [first] = problemsOf(text);
    expect(`${first?.line}:${first?.column}`).toBe(place);
    expect(first?.message).toMatch(message);
    expect(first?.expected).toBeTruthy();
  });

  test('with what was expected, the line and a caret', () => {
    const text = withStep('- advance: 5 parsecs');
    expect(formatProblems(problemsOf(text), text)).toBe(
      [
        'sample.yaml:7:16: spec.steps[0].advance is "5 parsecs"',
        '  expected: a duration such as 300ms, 40s, 5m or 1h30m',
        '  5 | spec:',
        '  6 |   steps:',
        '  7 |     - advance: 5 parsecs',
        '    |                ^^^^^^^^^',
      ].join('\n'),
    );
  });

  test('and many of them still fit on one screen', () => {
    const text = withStep(...Array.from({ length: 50 }, () => '- advanec: 5s'));
    const shown = formatProblems(problemsOf(text), text);
    expect(shown.split('\n').length).toBeLessThan(40);
    expect(shown).toContain('and 46 more problems');
  });
});

describe('a good scenario', () => {
  test('is read with durations in microseconds', () => {
    const result = loadScenario(
      'sample.yaml',
      withStep('- advance: 1m30s', '- advance: 1.5ms', '- advance: 0'),
    );
    expect(result.kind === 'loaded' && result.loaded.scenario.spec.steps).toEqual([
      { advance: 90_000_000 },
      { advance: 1_500 },
      { advance: 0 },
    ]);
  });

  test('may use kinds of definitions that it creates itself', () => {
    const definition =
      '- create: { apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: { name: x }, spec: { group: example.com } }';
    expect(
      problemsOf(withStep(definition, '- get: { apiVersion: example.com/v1, kind: Widget, name: a }')),
    ).toEqual([]);
    expect(problemsOf(withStep('- get: { apiVersion: example.com/v1, kind: Widget, name: a }'))).toHaveLength(
      1,
    );
  });

  test('may write a plain ${ with two dollar signs', () => {
    expect(problemsOf(withStep("- get: { kind: Pod, name: '$${a}' }"))).toEqual([]);
  });
});

describe('a file with several documents', () => {
  const named = (name: string): string =>
    `${HEAD.replace('name: sample', `name: ${name}`)}    - advance: 1s\n`;

  test('holds as many scenarios, each with its own places', () => {
    const results = loadScenarios('all.yaml', `${named('one')}---\n${named('two')}---\n`);
    const found = results.flatMap((result) =>
      result.kind === 'loaded'
        ? [[result.loaded.scenario.metadata.name, result.loaded.locate(['metadata', 'name']).line]]
        : [],
    );
    expect(found).toEqual([
      ['one', 4],
      ['two', 12],
    ]);
    const two = loadScenario('all.yaml', `${named('one')}---\n${named('two')}`, 'two');
    expect(two.kind === 'loaded' && two.loaded.scenario.metadata.name).toBe('two');
  });

  test('tells the mistakes of each', () => {
    const results = loadScenarios(
      'all.yaml',
      `${named('one')}---\n${named('two').replace('advance', 'advanec')}`,
    );
    expect(results.map(({ kind }) => kind)).toEqual(['loaded', 'invalid']);
  });
});
