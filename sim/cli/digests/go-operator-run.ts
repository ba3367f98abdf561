/** Runs of the Go operator of `scenarios/examples/go/standard-library`, with lost answers and a crash, in a cluster each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { createCluster, goProgram, seconds } from '../../index.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';

const EXAMPLES = join(import.meta.dirname, '../../../scenarios/examples/go');
const WEBSITES = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
} as const;
const COUNT = 5;

const definition = JSON.parse(
  readFileSync(join(EXAMPLES, 'website-definition.json'), 'utf8'),
) as CustomResourceDefinition;
let said: string[] = [];
const program = goProgram({
  module: brotliDecompressSync(readFileSync(join(EXAMPLES, 'standard-library/operator.wasm.br'))),
  output: (line) => void said.push(line),
});

/** The digest once all is done, with what the operator has said; equal seeds, equal digests. */
export async function digestOfGoOperator(seed: number): Promise<string> {
  said = [];
  const cluster = createCluster({ seed });
  const { client } = cluster.guests;
  await client.customResourceDefinitions.create(definition);
  await cluster.guests.advance(seconds(1));
  cluster.guest('operator', program, { patienceMs: 120_000 });
  cluster.faults.loseAnswers({ actor: 'guest/operator', percent: 10, resets: true });
  const websites = client.resource(WEBSITES);
  for (let index = 0; index < COUNT; index++)
    await websites.create({
      apiVersion: 'example.com/v1',
      kind: 'Website',
      metadata: { name: `w${index}`, namespace: 'default' },
      spec: { page: 'hello' },
    });
  await cluster.guests.advance(seconds(2));
  cluster.faults.crash('guest/operator');
  cluster.faults.restart('guest/operator');
  cluster.faults.allowRequests({ actor: 'guest/operator' });
  await cluster.guests.advance(seconds(60));
  const pages = (await client.configMaps.list({ namespace: 'default' })).items.filter(
    ({ data }) => data?.['index.html'] === 'hello',
  );
  if (pages.length < COUNT) throw new Error(`seed ${seed}: ${pages.length} of ${COUNT} are there`);
  return [cluster.digest, ...said].join('\n');
}
