/** Runs cases one after the other, asks again where answers differ, groups what differs by rule, and counts. */
import type { GoldenCase } from '../../../model/golden/replay/golden-case.ts';
import { type Finding, OTHERWISE_ORDERED } from './rules.ts';
import { shrink } from './shrink.ts';
import type { Verdict, Verifier } from './verification.ts';

export interface Tally {
  sequences: number;
  sequencesEqual: number;
  answers: number;
  answersEqual: number;
}

export interface Rule {
  readonly rule: string;
  readonly real: string;
  readonly simulated: string;
  /** How often it was met. */
  count: number;
  /** Where it was met first: `kinds/7-31`. */
  readonly foundIn: string;
  /** As small as it could be made, with the real server's answers. */
  readonly example: GoldenCase;
}

export interface Outcome {
  readonly tally: Readonly<Record<string, Tally>>;
  /** Most frequent first. */
  readonly rules: readonly Rule[];
  /** Cases that could not be run, and why. */
  readonly failures: readonly string[];
}

export interface CampaignSettings {
  /** Attempts to make an example smaller; 0: none. */
  readonly shrinkBudget: number;
  /** Hears of every case with the real server's answers. */
  onVerdict?(verdict: Verdict): void;
}

export function runCampaign(
  cases: Iterable<GoldenCase>,
  verifier: Verifier,
  { shrinkBudget, onVerdict }: CampaignSettings,
): Outcome {
  const tally: Record<string, Tally> = {};
  const rules = new Map<string, Rule>();
  const failures: string[] = [];
  for (const golden of cases) {
    try {
      const verdict = steady(golden, verifier);
      onVerdict?.(verdict);
      count(
        (tally[golden.area] ??= { sequences: 0, sequencesEqual: 0, answers: 0, answersEqual: 0 }),
        verdict,
      );
      note(verdict, rules, { golden, verifier, shrinkBudget });
    } catch (error) {
      failures.push(`${golden.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tally, rules: mostFrequentFirst([...rules.values()]), failures };
}

export const mostFrequentFirst = (rules: readonly Rule[]): readonly Rule[] =>
  rules.toSorted((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));

export const sumOfTallies = (tallies: readonly Tally[]): Tally =>
  tallies.reduce<Tally>(
    (all, one) => ({
      sequences: all.sequences + one.sequences,
      sequencesEqual: all.sequencesEqual + one.sequencesEqual,
      answers: all.answers + one.answers,
      answersEqual: all.answersEqual + one.answersEqual,
    }),
    { sequences: 0, sequencesEqual: 0, answers: 0, answersEqual: 0 },
  );

/** A real server that walks over the members of a map does so in another order each time. */
const ATTEMPTS = 8;
/** Of a map with two members it draws the rarer order once in eight times. */
const ATTEMPTS_OF_ORDERS = 40;

/** What the two do not differ in each time was an accident of time, or of an order that the real server draws. */
function steady(golden: GoldenCase, verifier: Verifier): Verdict {
  let verdict = verifier.verify(golden);
  for (let attempt = 1; attempt < attemptsFor(verdict); attempt += 1) {
    const next = verifier.verify(golden);
    const again = new Set(next.findings.map(({ rule, real }) => `${rule}\n${real}`));
    const stays = ({ rule, real }: Finding): boolean => again.has(`${rule}\n${real}`);
    verdict = { ...next, findings: verdict.findings.filter(stays) };
  }
  return verdict;
}

function attemptsFor({ findings }: Verdict): number {
  if (findings.length === 0) return 0;
  return findings.every(({ rule }) => rule.endsWith(OTHERWISE_ORDERED)) ? ATTEMPTS_OF_ORDERS : ATTEMPTS;
}

function count(tally: Tally, { findings, compared, equal }: Verdict): void {
  tally.sequences += 1;
  if (findings.length === 0) tally.sequencesEqual += 1;
  tally.answers += compared;
  tally.answersEqual += findings.length === 0 ? compared : equal;
}

interface Noting {
  readonly golden: GoldenCase;
  readonly verifier: Verifier;
  readonly shrinkBudget: number;
}

function note(
  { findings, recorded }: Verdict,
  rules: Map<string, Rule>,
  { golden, verifier, shrinkBudget }: Noting,
): void {
  for (const { rule, real, simulated } of findings) {
    const known = rules.get(rule);
    if (known) {
      known.count += 1;
      continue;
    }
    const shows = (smaller: GoldenCase): boolean =>
      verifier.verify(smaller).findings.some((each) => each.rule === rule);
    const smallest = shrinkBudget > 0 ? shrink(golden, shows, shrinkBudget) : golden;
    const example = smallest === golden ? recorded : verifier.verify(smallest).recorded;
    rules.set(rule, { rule, real, simulated, count: 1, foundIn: golden.name, example });
  }
}
