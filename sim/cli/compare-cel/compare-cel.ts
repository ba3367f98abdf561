/**
 * Compares expressions with a real API server: `npx tsx sim/cli/compare-cel/compare-cel.ts URL TOKEN COUNT [SEED]`. Random
 * rules over random schemas are sent to both as definitions, then objects and their changes to each; refusals, costs and
 * values have to be equal. What the real server does not answer the same each time is only counted.
 */
import { askedServer } from '../golden/asked-server.ts';
import { compareBatch } from './compare-batch.ts';
import { Draws } from './draws.ts';
import { RandomExpressions } from './random-expressions.ts';
import { randomSchema, randomSpec } from './random-schema.ts';
import { ownServer, realServer, Unanswered } from './server.ts';
import { emptyTally, type Rule } from './rule.ts';

const BATCH = 40;
const LANES = 3;

const [url = '', token = '', count = '1000', seed = '1'] = process.argv.slice(2);

function ruleOf(expressions: RandomExpressions, draws: Draws, index: number): Rule {
  const label = `r${index} `;
  if (draws.isOnceIn(3)) return { expression: expressions.nextTruth(), label, isTold: false };
  return { expression: expressions.next(), label, isTold: true };
}

async function compareLane(lane: number, tally: ReturnType<typeof emptyTally>): Promise<void> {
  const real = realServer(url, token);
  for (let batch = lane; batch * BATCH < Number(count); batch += LANES) {
    const draws = new Draws(Number(seed) * 1_000_003 + batch * 7919);
    const schema = randomSchema(draws);
    const specs = [randomSpec(draws), randomSpec(draws), randomSpec(draws)] as const;
    const expressions = new RandomExpressions(draws);
    const rules = Array.from({ length: BATCH }, (_none, index) => ruleOf(expressions, draws, index));
    const own = ownServer(askedServer());
    try {
      await compareBatch({ name: `s${seed}b${batch}`, schema, specs, rules, real, own }, tally);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      tally.unanswered++;
      process.stdout.write(`batch ${batch}: ${error.message}\n`);
    }
  }
}

const tally = emptyTally();
await Promise.all(Array.from({ length: LANES }, (_none, lane) => compareLane(lane, tally)));
process.stdout.write(`${JSON.stringify(tally)}\n`);
