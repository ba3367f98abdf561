/** `kubesim verify`: asks a real cluster and the simulation the same, and tells where they differ. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { GoldenCase } from '../../model/golden/replay/golden-case.ts';
import { findRelease } from '../api/release/releases.ts';
import { positiveNumber, regularExpression, releaseName, wholeNumber } from './command-options.ts';
import { VirtualServer } from './golden/virtual-server.ts';
import { type Outcome, runCampaign } from './verify/campaign.ts';
import {
  type Connection,
  ConnectionError,
  connectionOfKubeconfig,
  connectionTo,
} from './verify/connection.ts';
import { casesOfScenarios } from './verify/from-scenario.ts';
import { type Area, AREAS, drawCase } from './verify/generate/draw-case.ts';
import { type Lane, isOfLane, parseLane, runLanes, WHOLE } from './verify/lanes.ts';
import { RemoteServer } from './verify/remote-server.ts';
import { Verifier, type Verdict } from './verify/verification.ts';
import { compactCase, outcomeText, writeVerification } from './verify/verify-report.ts';

interface VerifyFlags {
  readonly against?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly token?: string;
  readonly insecure?: true;
  readonly generate?: Area;
  readonly seed: number;
  readonly count: number;
  readonly start: number;
  readonly only?: RegExp;
  readonly shrink: number;
  readonly release?: string;
  readonly controllers?: true;
  readonly finalizeNamespaces?: true;
  readonly reportDir?: string;
  readonly keep?: string;
  readonly lanes: number;
  readonly lane?: Lane;
}

export interface VerifyProgram {
  /** The command line's own file: lanes are the same program. */
  readonly entry: string;
  /** Of the thread that talks to the cluster. */
  readonly httpProgram: URL;
}

const DIFFERENT = 1;
const BAD_INPUT = 2;

export function verifyCommand(program: VerifyProgram): Command {
  return new Command('verify')
    .description(
      'Send the same requests to a real cluster and to the simulation, and tell where they differ.',
    )
    .argument('[scenarios...]', 'scenario files, or files of cases with a JSON object on each line (.jsonl)')
    .option('--against <url>', 'address of the real API server')
    .option('--kubeconfig <file>', 'kubeconfig of the real cluster')
    .option('--context <name>', 'of the kubeconfig, instead of its current one')
    .option('--token <token>', 'bearer token, with --against')
    .option('--insecure', 'take any certificate of the server, with --against')
    .addOption(new Option('--generate <area>', 'draw requests at random').choices(AREAS))
    .option('--seed <number>', 'of what is drawn', wholeNumber, 1)
    .option('--count <number>', 'how many sequences are drawn', wholeNumber, 100)
    .option('--start <number>', 'number of the first: a sequence can be drawn again alone', wholeNumber, 0)
    .option('--only <expression>', 'only resources such as apps/v1/deployments', regularExpression)
    .option('--shrink <number>', 'attempts to make the example of a rule smaller', wholeNumber, 20)
    .option('--controllers', 'the cluster has its controllers: simulate them as well')
    .option(
      '--release <name>',
      'release of Kubernetes that is simulated (default: what the cluster says of itself)',
      releaseName,
    )
    .option('--finalize-namespaces', 'finish the deletion of namespaces, where no controller does')
    .option('--report-dir <directory>', 'write verification.json, and a case for each rule')
    .option('--keep <file>', 'append every case with the real answers, a JSON object on each line')
    .option('--lanes <number>', 'how many sequences run at the same time', positiveNumber, 1)
    .addOption(new Option('--lane <lane/of>', 'only the share of one lane').argParser(parseLane).hideHelp())
    .addHelpText(
      'after',
      '\nIt works in namespaces of its own, marks what it makes outside of them with kubesim-verify, and cleans up.\nExit codes: 0 no difference, 1 differences, 2 bad usage or no cluster.',
    )
    .action(async (files: readonly string[], flags: VerifyFlags, command: Command) => {
      process.exitCode = await verify(files, flags, { command, program });
    });
}

async function verify(
  files: readonly string[],
  flags: VerifyFlags,
  { command, program }: { readonly command: Command; readonly program: VerifyProgram },
): Promise<number> {
  if (flags.generate === undefined && files.length === 0)
    command.error('error: nothing to do: name scenarios, or --generate an area');
  if ((flags.against === undefined) === (flags.kubeconfig === undefined))
    command.error('error: the real cluster is named by --against or by --kubeconfig');
  let connection: Connection;
  try {
    connection = connectionOf(flags);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return complain(error.message);
  }
  const real = new RemoteServer(connection, program.httpProgram);
  try {
    const problem = unreachable(real);
    if (problem !== undefined) return complain(problem);
    if (flags.lane) return tellParent(runAll(files, flags, real));
    if (flags.keep !== undefined) writeFileSync(flags.keep, '');
    const args = process.argv.slice(2);
    const outcome =
      flags.lanes > 1
        ? await runLanes(flags.lanes, { entry: program.entry, args })
        : runAll(files, flags, real);
    return report(outcome, flags);
  } finally {
    await real.close();
  }
}

const connectionOf = ({ against, kubeconfig = '', context, token, insecure }: VerifyFlags): Connection =>
  against === undefined
    ? connectionOfKubeconfig(kubeconfig, context)
    : connectionTo(against, { ...(token !== undefined && { token }), insecure: insecure ?? false });

function unreachable(real: RemoteServer): string | undefined {
  try {
    const headers = { accept: 'application/json', authorization: 'Bearer admin-token' };
    const { status } = real.request({ method: 'GET', path: '/api', headers });
    return status === 200 ? undefined : `${real.baseUrl}: GET /api is answered with ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** By `/version`; empty where it does not say. */
function releaseTold(real: RemoteServer): string {
  const headers = { accept: 'application/json', authorization: 'Bearer admin-token' };
  const { bytes } = real.request({ method: 'GET', path: '/version', headers });
  try {
    const { gitVersion } = JSON.parse(new TextDecoder().decode(bytes)) as { gitVersion?: unknown };
    return typeof gitVersion === 'string' ? (/^v[0-9]+\.[0-9]+/.exec(gitVersion)?.[0] ?? '') : '';
  } catch {
    return '';
  }
}

function runAll(files: readonly string[], flags: VerifyFlags, real: RemoteServer): Outcome {
  const { controllers = false, finalizeNamespaces = false, shrink, keep, lane = WHOLE } = flags;
  const simulated = new VirtualServer({
    release: findRelease(flags.release ?? releaseTold(real)),
    hasControllers: controllers,
    onDefect: (error) =>
      void process.stderr.write(
        `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      ),
  });
  const run = `${Date.now().toString(36).slice(-6)}${lane.lane.toString(36)}`;
  const verifier = new Verifier({ real, simulated, finalizesNamespaces: finalizeNamespaces }, run);
  return runCampaign(casesOf(files, flags), verifier, {
    shrinkBudget: shrink,
    ...(keep !== undefined && {
      onVerdict: ({ recorded }: Verdict) => appendFileSync(keep, `${compactCase(recorded)}\n`),
    }),
  });
}

/** The process that began the lanes tells of all. */
function tellParent(outcome: Outcome): number {
  process.send?.(outcome);
  return 0;
}

function report(outcome: Outcome, { reportDir }: VerifyFlags): number {
  process.stdout.write(outcomeText(outcome));
  if (reportDir !== undefined) writeVerification(reportDir, outcome);
  return outcome.rules.length > 0 || outcome.failures.length > 0 ? DIFFERENT : 0;
}

function* casesOf(files: readonly string[], flags: VerifyFlags): Generator<GoldenCase> {
  const { generate: area, seed, count, start, only, lane = WHOLE } = flags;
  let at = 0;
  for (const golden of casesOfFiles(files)) {
    if (isOfLane(at, lane)) yield golden;
    at += 1;
  }
  if (area === undefined) return;
  for (let index = start; index < start + count; index += 1)
    if (isOfLane(index, lane)) yield drawCase({ area, seed, index, only });
}

function* casesOfFiles(files: readonly string[]): Generator<GoldenCase> {
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.jsonl')) {
      for (const line of text.trimEnd().split('\n')) yield JSON.parse(line) as GoldenCase;
      continue;
    }
    for (const { golden, leftOut } of casesOfScenarios(file, text)) {
      for (const what of leftOut) process.stderr.write(`${file}: left out: ${what}\n`);
      if (golden.steps.length > 0) yield golden;
    }
  }
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return BAD_INPUT;
}
