/** The rules of one schema at two servers: first as they are refused, then what the others say of objects. */
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { definitionOf, GROUP, objectOf, type Rule, type Tally } from './rule.ts';
import { type Answer, type Server, Unanswered } from './server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** A map of two has as many orders. */
const ASKED_AGAIN = 6;
/** Of a resource that is about to be served: unknown still, or its store is exchanged at this moment. */
const NOT_YET: ReadonlySet<number> = new Set([404, 503]);

export interface Batch {
  readonly name: string;
  readonly schema: JSONSchemaProps;
  /** What is stored, what it becomes, and another one. */
  readonly specs: readonly [object, object, object];
  readonly rules: readonly Rule[];
  readonly real: Server;
  readonly own: Server;
}

/** What is said of each rule, by its label. */
type Said = ReadonlyMap<string, string>;

export async function compareBatch(batch: Batch, tally: Tally): Promise<void> {
  const { name, schema, rules, real, own } = batch;
  const path = `${DEFINITIONS}?dryRun=All`;
  const definition = definitionOf(name, schema, rules);
  const ask = async (server: Server): Promise<Said> =>
    refusals(await server.ask('POST', path, definition), rules);
  const [wanted, got] = [await ask(real), await ask(own)];
  const differs = new Set<string>();
  for (const rule of rules) {
    tally.compared++;
    if (wanted.has(rule.label)) tally.refused++;
    if (wanted.get(rule.label) === got.get(rule.label)) continue;
    differs.add(rule.label);
    tell(tally, rule, wanted, got);
  }
  const kept = rules.filter(({ label }) => !wanted.has(label) && !got.has(label));
  await compareObjects(batch, kept, tally);
}

function tell(tally: Tally, { expression, isTold, label }: Rule, wanted: Said, got: Said): void {
  tally.different++;
  const shown = (said: Said): string => (said.get(label) ?? '<nothing>').replaceAll('\n', '\n        ');
  process.stdout.write(
    `${isTold ? 'value' : 'rule'}: ${expression}\n  real: ${shown(wanted)}\n  own:  ${shown(got)}\n`,
  );
}

/** Both have the definition, and an object from before its rules. */
async function compareObjects(batch: Batch, rules: readonly Rule[], tally: Tally): Promise<void> {
  const { name, schema, specs, real, own } = batch;
  const path = `${DEFINITIONS}/${name}.${GROUP}`;
  const objects = `/apis/${GROUP}/v1/${name}`;
  for (const server of [real, own]) {
    await server.ask('POST', DEFINITIONS, definitionOf(name, schema, []));
    await until(server, async () => {
      const { status, body } = await server.ask('POST', objects, objectOf(name, 'one', specs[0]));
      if (!NOT_YET.has(status) && status !== 201)
        throw new Unanswered(`${name}: ${status} ${body.message ?? ''}`);
      return status === 201;
    });
  }
  try {
    let left = rules;
    while (left.length > 0) left = await compareValues(batch, left, tally);
  } finally {
    for (const server of [real, own]) await server.ask('DELETE', path);
  }
}

/** Those that do not fit into the budget of one definition together. */
async function compareValues(batch: Batch, rules: readonly Rule[], tally: Tally): Promise<readonly Rule[]> {
  const { name, schema, specs, real, own } = batch;
  const path = `${DEFINITIONS}/${name}.${GROUP}`;
  const put = async (server: Server, some: readonly Rule[]): Promise<Answer> => {
    const { body } = await server.ask('GET', path);
    const { metadata } = body as { readonly metadata?: { readonly resourceVersion?: string } };
    const definition = definitionOf(name, schema, some) as { metadata: object };
    return server.ask('PUT', path, {
      ...definition,
      metadata: { ...definition.metadata, resourceVersion: metadata?.resourceVersion },
    });
  };
  const [theirs, ours] = [await put(real, rules), await put(own, rules)];
  if (theirs.status !== ours.status) {
    tally.different++;
    process.stdout.write(
      `${name}: ${rules.length} rules\n  real: ${theirs.body.message ?? ''}\n  own:  ${ours.body.message ?? ''}\n`,
    );
  }
  if (theirs.status !== 200 || ours.status !== 200) {
    const half = rules.slice(0, Math.floor(rules.length / 2));
    for (const server of [real, own]) await put(server, []);
    const left = half.length > 0 ? await compareValues(batch, half, tally) : [];
    return [...left, ...rules.slice(Math.max(1, half.length))];
  }
  const objects = `/apis/${GROUP}/v1/${name}`;
  const marker = rules.map(({ label }) => label);
  for (const server of [real, own])
    await until(server, async () => isActing(await server.ask('GET', path), marker));
  await real.sleep(50);
  const asked: readonly ((server: Server) => Promise<Answer>)[] = [
    (server) => server.ask('POST', `${objects}?dryRun=All`, objectOf(name, 'two', specs[2])),
    async (server) => {
      const { body } = await server.ask('GET', `${objects}/one`);
      return server.ask('PUT', `${objects}/one?dryRun=All`, { ...body, spec: specs[1] });
    },
  ];
  for (const ask of asked) await compareAnswers(batch, rules, ask, tally);
  return [];
}

/** Its rules are those that were written. */
const isActing = ({ body }: Answer, labels: readonly string[]): boolean =>
  labels.every((label) => JSON.stringify(body).includes(label));

async function compareAnswers(
  { real, own }: Batch,
  rules: readonly Rule[],
  ask: (server: Server) => Promise<Answer>,
  tally: Tally,
): Promise<void> {
  const got = values(await ask(own), rules);
  const answers = [values(await ask(real), rules)];
  const isSame = (label: string): boolean => answers[0]?.get(label) === got.get(label);
  if (!rules.every(({ label }) => isSame(label)))
    for (let times = 0; times < ASKED_AGAIN; times++) answers.push(values(await ask(real), rules));
  for (const rule of rules) {
    tally.evaluated++;
    if (isSame(rule.label)) continue;
    const said = new Set(answers.map((answer) => answer.get(rule.label)));
    if (said.size > 1) tally.unsteady++;
    else tell(tally, rule, answers[0] ?? new Map(), got);
  }
}

async function until(server: Server, isDone: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    await server.sleep(50);
    if (await isDone()) return;
  }
  throw new Unanswered('it never was');
}

const plain = (text: string): string =>
  text
    .replace(/Invalid value: apiextensions\.ValidationRule\{.*?OptionalOldSelf:\(\*bool\)\(nil\)\}: /s, '')
    .replace(/selfType\d+/g, 'selfType')
    // Where it is in memory.
    .replace(/&\{\d+ 0x[0-9a-f]+\}\(\d+\) /g, '')
    .replace(/Invalid value: "object": /, '');

function refusals({ body }: Answer, rules: readonly Rule[]): Said {
  const said = new Map<string, string>();
  for (const { field = '', message = '' } of body.details?.causes ?? []) {
    const index = /validations\[(\d+)\]\.(\w+)/.exec(field);
    // Which of the dear ones are named is chance.
    if (!index || message.includes('contributed to estimated rule cost total')) continue;
    const label = rules[Number(index[1])]?.label ?? '';
    const before = said.get(label);
    const text = `${index[2] ?? ''}: ${plain(message)}`;
    said.set(label, before === undefined ? text : `${before}\n${text}`);
  }
  return said;
}

function values({ status, body }: Answer, rules: readonly Rule[]): Said {
  const causes = body.details?.causes ?? [];
  const rest = causes.filter(({ message = '' }) => !rules.some(({ label }) => message.includes(label)));
  const said = new Map<string, string>();
  for (const rule of rules) {
    const named = causes.filter(({ message = '' }) => message.includes(rule.label));
    const unnamed = rest.filter(({ message = '' }) => message.includes(rule.expression));
    const texts = [...named, ...unnamed].map(({ message = '' }) => plain(message));
    if (texts.length > 0) said.set(rule.label, texts.join('\n'));
  }
  const budget = rest.filter(({ message = '' }) => message.includes('budget')).length;
  said.set('', `${status} ${budget}`);
  return said;
}
