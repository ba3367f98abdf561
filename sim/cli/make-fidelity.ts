/**
 * The ledger of how far answers agree with those of a real server: `npx tsx sim/cli/make-fidelity.ts [AREA=FILE…]`.
 * Each FILE is a `verification.json` of `kubesim verify --report-dir`, whose tally is first taken into
 * `model/golden/agreement.json`. Writes `reports/fidelity.html` from that and from the recorded cases.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fidelityPage, type Agreement, type Reason, type Recorded } from '../../reports/fidelity-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const GOLDEN = join(ROOT, 'model/golden');
const AGREEMENT = join(GOLDEN, 'agreement.json');
/** Rules that are shown for each area. */
const MOST_RULES = 60;

const agreement: Record<string, Agreement> = existsSync(AGREEMENT)
  ? (readJson(AGREEMENT) as Record<string, Agreement>)
  : {};
for (const given of process.argv.slice(2)) {
  const [area = '', file = ''] = given.split('=');
  const { tally, rules } = readJson(file) as Agreement;
  agreement[area] = { tally, rules: rules.slice(0, MOST_RULES).map(({ rule, count }) => ({ rule, count })) };
}
if (process.argv.length > 2) writeFileSync(AGREEMENT, `${JSON.stringify(agreement, undefined, 1)}\n`);
const known = readJson(join(GOLDEN, 'known-differences.json')) as Readonly<Record<string, string>>;
const reasons = readJson(join(GOLDEN, 'differing-rules.json')) as readonly Reason[];
const page = fidelityPage({ recorded: ['cases', 'found'].flatMap(recordedIn), agreement, known, reasons });
writeFileSync(join(ROOT, 'reports/fidelity.html'), page);

function recordedIn(directory: string): readonly Recorded[] {
  const files = readdirSync(join(GOLDEN, directory)).sort();
  return files.map((file) => {
    const cases = readFileSync(join(GOLDEN, directory, file), 'utf8')
      .trimEnd()
      .split('\n');
    const parsed = cases.map((line) => JSON.parse(line) as { name: string; steps: readonly unknown[] });
    return {
      area: `${directory === 'found' ? 'drawn: ' : ''}${file.replace(/\.jsonl$/, '')}`,
      names: parsed.map(({ name }) => name),
      steps: parsed.reduce((sum, { steps }) => sum + steps.length, 0),
    };
  });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
