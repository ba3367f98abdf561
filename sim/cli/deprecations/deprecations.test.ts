import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deprecationsCommand } from './deprecations-command.ts';
import { converted, FORMATTERS } from './formats.ts';
import { requestedOf } from './requested.ts';
import { readSources, sourcesIn, UnreadableSource } from './read-sources.ts';
import { scanned } from './scan.ts';

const TEXT = `# first
apiVersion: batch/v1beta1
kind: CronJob
metadata: { name: tick, namespace: a }
---
apiVersion: v1
kind: ConfigMap # stays
metadata: { name: c }
---
apiVersion: v1
kind: List
items:
  - { apiVersion: policy/v1beta1, kind: PodSecurityPolicy, metadata: { name: psp } }
  - { apiVersion: flowcontrol.apiserver.k8s.io/v1beta3, kind: FlowSchema, metadata: { name: fs } }
  - { apiVersion: example.com/v1, kind: Widget, metadata: { name: w } }
`;
const textOf = (target: string): string => FORMATTERS.text(scanned(sourcesIn('a.yaml', TEXT), target));

describe('a scan of manifests', () => {
  test('says where, what, from when on and what instead', () => {
    expect(textOf('1.31')).toBe(
      [
        'a.yaml:2: batch/v1beta1 CronJob a/tick: not served from 1.25 on; write batch/v1 CronJob',
        'a.yaml:10: policy/v1beta1 PodSecurityPolicy psp: not served from 1.25 on; nothing takes its place',
        'a.yaml:10: flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema fs: deprecated since 1.29, not served from 1.32 on; write flowcontrol.apiserver.k8s.io/v1 FlowSchema',
        '5 looked at: 2 of versions that 1.31 does not serve any more, 0 not yet, 1 deprecated\n',
      ].join('\n'),
    );
    expect(textOf('1.20')).toContain('FlowSchema fs: there is none before 1.26');
    expect(textOf('1.20')).toContain(
      '5 looked at: 0 of versions that 1.20 does not serve any more, 1 not yet, 0 deprecated',
    );
  });

  test('is JSON and JUnit, too', () => {
    const scan = scanned(sourcesIn('a.yaml', TEXT), '1.31');
    expect(JSON.parse(FORMATTERS.json(scan))).toMatchObject({
      target: '1.31',
      findings: [
        { line: 2, stage: 'removed', replacement: { apiVersion: 'batch/v1', kind: 'CronJob' } },
        {},
        {},
      ],
    });
    expect(FORMATTERS.junit(scan)).toMatch(/tests="3" failures="2"/);
    const hostile = 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: { name: "<\\"&\\u0001" }';
    expect(FORMATTERS.junit(scanned(sourcesIn('b', hostile), '1.31'))).toContain(
      'CronJob &lt;&quot;&amp;\uFFFD',
    );
  });

  test('rewrites what is old and leaves the rest as it stands', () => {
    expect(converted(sourcesIn('a.yaml', TEXT), '1.31')).toBe(
      [
        'apiVersion: batch/v1',
        'kind: CronJob',
        'metadata:\n  name: tick\n  namespace: a',
        '---',
        'apiVersion: v1',
        'kind: ConfigMap # stays',
        'metadata: { name: c }',
        '---',
        'apiVersion: v1\nkind: List\nitems:',
        '  - apiVersion: policy/v1beta1\n    kind: PodSecurityPolicy\n    metadata:\n      name: psp',
        '  - apiVersion: flowcontrol.apiserver.k8s.io/v1\n    kind: FlowSchema\n    metadata:\n      name: fs',
        '  - apiVersion: example.com/v1\n    kind: Widget\n    metadata:\n      name: w\n',
      ].join('\n'),
    );
  });

  test('tells of what cannot be read by file, line and column', () => {
    expect(() => sourcesIn('a.yaml', 'a: [1\nb: 2')).toThrow(UnreadableSource);
    expect(() => sourcesIn('a.yaml', 'a: [1\nb: 2')).toThrow(/^a\.yaml:2:1: /);
  });
});

const event = (name: string, annotations: object, stage = 'ResponseComplete'): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage,
    verb: 'list',
    user: { username: name },
    objectRef: { apiGroup: 'policy', apiVersion: 'v1beta1', resource: 'poddisruptionbudgets' },
    annotations,
  });
const OLD = { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.25' };

test('a scan of an audit log says who still asks', () => {
  const log = [
    event('old', OLD),
    event('new', {}),
    event('old', OLD),
    event('old', OLD, 'RequestReceived'),
  ].join('\n');
  const scan = scanned(sourcesIn('audit.log', log), '1.25');
  expect(FORMATTERS.text(scan)).toBe(
    'audit.log:1: policy/v1beta1 poddisruptionbudgets list by old: not served from 1.25 on; see its owner (2 times)\n' +
      '4 looked at: 2 of versions that 1.25 does not serve any more, 0 not yet, 0 deprecated\n',
  );
  expect(FORMATTERS.text(scanned(sourcesIn('audit.log', log), '1.24'))).toContain(
    'deprecated, not served from 1.25 on; served in 1.24',
  );
  expect(() => sourcesIn('audit.log', `${event('a', OLD)}\n{`)).toThrow(
    'audit.log:2: expected a JSON object, as on the other lines of the log: {',
  );
});

test('a log is known by any of its lines, and a list of events is one as well', () => {
  const found = (text: string) =>
    scanned(sourcesIn('audit.log', text), '1.25').findings.map(({ line, subject }) => [line, subject]);
  const other = JSON.stringify({
    apiVersion: 'policy/v1beta1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'x' },
  });
  const turned = event('late', OLD).replace(
    '"kind":"Event","apiVersion":"audit.k8s.io/v1"',
    '"apiVersion":"audit.k8s.io/v1","level":"Metadata","kind":"Event"',
  );
  expect(found(['', other, turned, event('old', OLD)].join('\n'))).toEqual([
    [2, 'x'],
    [3, 'list by late'],
    [4, 'list by old'],
  ]);
  const items = [event('old', OLD), event('new', {})].map((text) => JSON.parse(text) as unknown);
  const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items };
  expect(found(JSON.stringify(list, undefined, 2))).toEqual([[1, 'list by old']]);
  expect(found(`# of yesterday\n${turned}`.replace('# of yesterday', ' '))).toEqual([[2, 'list by late']]);
});

describe('what no manifest is', () => {
  const reasonOf = (content: string | Buffer): string => {
    const folder = mkdtempSync(join(tmpdir(), 'kubesim-scan-'));
    const file = join(folder, 'a.yaml');
    writeFileSync(file, content);
    try {
      return `${readSources([file]).length} read`;
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error;
      return error.message.replace(file, 'a.yaml');
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('is told by its file, and never more than that', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [before, name] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi'].map((pair) => [...pair]))
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`);
    expect(reasonOf(bomb.join('\n'))).toBe(
      'a.yaml:1: Excessive alias count indicates a resource exhaustion attack',
    );
    expect(reasonOf(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toMatch(/^a\.yaml:\d+:.*(deep|stack)/);
    expect(reasonOf(Buffer.from([0xff, 0xfe, 0x00, 0x41]))).toBe('a.yaml: expected text in UTF-8');
    expect(reasonOf('kind: Pod\0')).toBe('a.yaml: expected text in UTF-8');
    expect(reasonOf('')).toBe('0 read');
    expect(reasonOf('- null\n- 5\n')).toBe('1 read');
  });

  test('and a name cannot steer the terminal', () => {
    const hostile = 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: { name: "\\e[2J" }\n';
    expect(FORMATTERS.text(scanned(sourcesIn('a', hostile), '1.31'))).not.toContain('\u001B');
    const nameless = 'apiVersion: batch/v1beta1\nkind: CronJob\n';
    expect(FORMATTERS.text(scanned(sourcesIn('a', nameless), '1.31'))).toContain(
      'batch/v1beta1 CronJob: not',
    );
  });
});

test('a file that is not there is told in words', () => {
  expect(() => readSources(['no/such.yaml'])).toThrow('no/such.yaml: there is no such file or folder');
});

test('a running server says what it was asked for, or why it does not', async () => {
  const gauge =
    'apiserver_requested_deprecated_apis{group="batch",removed_release="1.25",resource="cronjobs",subresource="status",version="v1beta1"} 1';
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer t';
    response.statusCode = isKnown ? 200 : 403;
    response.end(isKnown ? `# HELP x\n${gauge}\n` : 'who?');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${Number(Reflect.get(Object(server.address()), 'port'))}`);
  try {
    expect(await requestedOf({ url, token: 't', isInsecure: false }, '1.25')).toMatchObject([
      { apiVersion: 'batch/v1beta1', kind: 'cronjobs/status', stage: 'removed', removed: '1.25' },
    ]);
    await expect(requestedOf({ url, isInsecure: false }, '1.25')).rejects.toThrow(
      '/metrics answers 403: who?',
    );
  } finally {
    server.close();
  }
});

test('a release that there is not is no target', async () => {
  const scan = deprecationsCommand().commands.find((command) => command.name() === 'scan');
  scan?.exitOverride().configureOutput({ writeErr: () => undefined });
  await expect(scan?.parseAsync(['--target', '1.99', 'a.yaml'], { from: 'user' })).rejects.toThrow(
    'expected a release from 1.15 to 1.37',
  );
});
