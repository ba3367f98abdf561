/**
 * The same requests to a real cluster and to the simulation, and where their answers differ. A case runs on both under
 * the same names; what has to differ (uids, times, versions, addresses) is compared by what it stands for.
 */
import { compareCase, type Difference } from '../../../model/golden/replay/compare.ts';
import type { GoldenCase, Recorded, Step } from '../../../model/golden/replay/golden-case.ts';
import { normalise } from '../../../model/golden/replay/normalise.ts';
import { runCase, type RunSettings } from '../../../model/golden/replay/run-case.ts';
import type { ServerUnderTest } from '../../../model/golden/replay/server-under-test.ts';
import { MARK } from './guard.ts';
import { withoutDumps } from './without-dumps.ts';
import { type Finding, findingsOf } from './rules.ts';

export interface Servers {
  readonly real: ServerUnderTest;
  readonly simulated: ServerUnderTest;
  /** Whether the cluster has no controller that finishes the deletion of namespaces. */
  readonly finalizesNamespaces: boolean;
}

export interface Verdict {
  /** With the real server's answers. */
  readonly recorded: GoldenCase;
  readonly findings: readonly Finding[];
  /** Answers that were compared: up to the first after which the two may hold different objects. */
  readonly compared: number;
  readonly equal: number;
}

export class Verifier {
  readonly #servers: Servers;
  readonly #run: string;
  #count = 0;

  /** `run`: letters and digits that no other run on the cluster has. */
  constructor(servers: Servers, run: string) {
    this.#servers = servers;
    this.#run = run;
  }

  /** @throws Error if the real cluster cannot be asked */
  verify(golden: GoldenCase): Verdict {
    this.#count += 1;
    const unique = `${this.#run}${this.#count.toString(36).padStart(4, '0')}`;
    const { real, simulated, finalizesNamespaces } = this.#servers;
    const answers = (server: ServerUnderTest, settings: RunSettings): readonly (Recorded | undefined)[] =>
      normalise(golden, runCase(golden, server, unique, settings));
    const asked = answers(real, { mark: MARK, finalizesNamespaces });
    const pairs = answers(simulated, { mark: MARK, finalizesNamespaces: true }).map((answer, at) =>
      withoutDumps(asked[at], answer),
    );
    const expected = pairs.map(([answer]) => answer);
    const got = pairs.map(([, answer]) => answer);
    const recorded = withAnswers(golden, expected);
    return { recorded, ...judged(recorded, compareCase(recorded, got), got) };
  }
}

const withAnswers = (golden: GoldenCase, answers: readonly (Recorded | undefined)[]): GoldenCase => ({
  ...golden,
  steps: golden.steps.map((step, index) => ({ ...step, response: answers[index] ?? null })),
});

function judged(
  { area, steps }: GoldenCase,
  differences: readonly Difference[],
  got: readonly (Recorded | undefined)[],
): Pick<Verdict, 'findings' | 'compared' | 'equal'> {
  const findings: Finding[] = [];
  let compared = 0;
  let equal = 0;
  for (const [index, step] of steps.entries()) {
    if (!step.response) continue;
    if (isUnanswered(step.response)) break;
    const own = differences.filter((difference) => difference.step === index + 1);
    compared += 1;
    if (own.length === 0) equal += 1;
    findings.push(...findingsOf(area, { real: step.response, simulated: got[index] ?? {} }, own));
    if (own.length > 0 && leavesTraces(step)) break;
  }
  return { findings, compared, equal };
}

/** A request that a real server dies of says nothing about what is right, and what came of it nobody knows. */
const isUnanswered = ({ status, events, problem }: Recorded): boolean =>
  status === undefined && events === undefined && problem !== undefined;

function leavesTraces({ request }: Step): boolean {
  if (!request || request.method === 'GET') return false;
  return request.query?.['dryRun'] !== 'All';
}
