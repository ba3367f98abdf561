/**
 * Compares expressions with a real API server: `npx tsx sim/cli/compare-cel/compare-cel.ts URL TOKEN COUNT [SEED]`. Random
 * rules are sent to both as definitions, then an object to each; refusals, costs and values have to be equal.
 */
import { request } from 'node:https';
import { type Ask, askedServer } from '../golden/asked-server.ts';
import { OBJECT, RandomExpressions, SCHEMA } from './random-expressions.ts';

const BATCH = 40;
const GROUP = 'compared.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly details?: { readonly causes?: readonly Cause[] } };
}

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

type Server = (method: string, path: string, body?: object) => Promise<Answer>;

const [url = '', token = '', count = '1000', seed = '1'] = process.argv.slice(2);

const real: Server = (method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const call = request(new URL(path, url), { method, headers, rejectUnauthorized: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        const isJson = text.startsWith('{');
        resolve({
          status: response.statusCode ?? 0,
          body: isJson ? (JSON.parse(text) as Answer['body']) : { message: text },
        });
      });
    });
    call.on('error', reject);
    call.end(body && JSON.stringify(body));
  });

const own = (ask: Ask): Server => {
  return async (method, path, body) => {
    const { status, body: answer } = ask(method, path, body);
    return Promise.resolve({ status, body: answer });
  };
};

const definition = (name: string, rules: readonly object[]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { plural: name, singular: `${name}x`, kind: `K${name}`, listKind: `K${name}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { ...SCHEMA, 'x-kubernetes-validations': rules } },
          },
        },
      },
    ],
  },
});

/** Its value is told in the message, its error by the rule. */
const ruleOf = (expression: string): object => ({
  rule: `size("%s".format([${expression}])) < 0`,
  messageExpression: `"%s".format([${expression}])`,
});

const plain = (text: string): string =>
  text
    .replace(/Invalid value: apiextensions\.ValidationRule\{.*?OptionalOldSelf:\(\*bool\)\(nil\)\}: /s, '')
    .replace(/selfType\d+/g, 'selfType')
    .replace(/Invalid value: "object": /, '');

/** What is said of each rule, by its index. */
function byRule({ body }: Answer): Map<number, string> {
  const said = new Map<number, string>();
  for (const { field = '', message = '' } of body.details?.causes ?? []) {
    const index = /validations\[(\d+)\]\.(\w+)/.exec(field);
    // Which of the dear ones are named is chance.
    if (!index || message.includes('contributed to estimated rule cost total')) continue;
    const before = said.get(Number(index[1]));
    const text = `${index[2] ?? ''}: ${plain(message)}`;
    said.set(Number(index[1]), before === undefined ? text : `${before}\n${text}`);
  }
  return said;
}

interface Tally {
  compared: number;
  refused: number;
  evaluated: number;
  different: number;
}

function differ(tally: Tally, expression: string, wanted: string, got: string): void {
  if (wanted === got) return;
  tally.different++;
  process.stdout.write(
    `${expression}\n  real: ${wanted.replaceAll('\n', '\n        ')}\n  own:  ${got.replaceAll('\n', '\n        ')}\n`,
  );
}

async function compareBatch(
  name: string,
  expressions: readonly string[],
  mine: Ask,
  tally: Tally,
): Promise<void> {
  const tried = definition(name, expressions.map(ruleOf));
  const path = `${DEFINITIONS}?dryRun=All`;
  const [wanted, got] = [
    byRule(await real('POST', path, tried)),
    byRule(await own(mine)('POST', path, tried)),
  ];
  const kept = expressions.filter((expression, index) => {
    tally.compared++;
    const [theirs = '', ours = ''] = [wanted.get(index), got.get(index)];
    if (theirs !== '') tally.refused++;
    differ(tally, expression, theirs, ours);
    return theirs === '' && ours === '';
  });
  if (kept.length > 0) await compareValues(name, kept, mine, tally);
}

async function compareValues(
  name: string,
  expressions: readonly string[],
  mine: Ask,
  tally: Tally,
): Promise<void> {
  const made = definition(name, expressions.map(ruleOf));
  const object = { apiVersion: `${GROUP}/v1`, kind: `K${name}`, metadata: { name: 'one' }, spec: OBJECT };
  const answers: string[][] = [];
  for (const server of [real, own(mine)]) {
    const created = await server('POST', DEFINITIONS, made);
    if (created.status !== 201) throw new Error(`${created.status} ${created.body.message ?? ''}`);
    let answer: Answer = { status: 404, body: {} };
    for (let tries = 0; tries < 100 && (answer.status === 404 || answer.status === 201); tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 50));
      mine.sleep(100);
      answer = await server('POST', `/apis/${GROUP}/v1/${name}?dryRun=All`, object);
    }
    answers.push((answer.body.details?.causes ?? []).map(({ message = '' }) => plain(message)));
    await server('DELETE', `${DEFINITIONS}/${name}.${GROUP}`);
  }
  const [theirs = [], ours = []] = answers;
  for (const [index, expression] of expressions.entries()) {
    tally.evaluated++;
    differ(tally, expression, theirs[index] ?? '<nothing>', ours[index] ?? '<nothing>');
  }
}

const tally: Tally = { compared: 0, refused: 0, evaluated: 0, different: 0 };
const random = new RandomExpressions(Number(seed));
for (let batch = 0; tally.compared < Number(count); batch++) {
  const expressions = Array.from({ length: BATCH }, () => random.next());
  await compareBatch(`s${seed}b${batch}`, expressions, askedServer(), tally);
}
process.stdout.write(`${JSON.stringify(tally)}\n`);
