/** `kubesim serve`: a control plane on a real port. */
import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { StaticTokens } from '../apiserver/authentication/static-tokens.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import type { AuthorizationMode } from '../cluster/control-plane.ts';
import { serve } from '../host/serve.ts';

interface ServeFlags {
  readonly bindAddress: string;
  readonly securePort?: number;
  readonly httpPort?: number;
  readonly tokenAuthFile?: string;
  readonly authorizationMode: AuthorizationMode;
  readonly seed: number;
  readonly clock: number;
  readonly featureGates: FeatureGates;
  readonly runtimeConfig?: string;
  readonly etcdCompactionInterval: number;
  readonly apiServerOnly?: boolean;
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('Serve a simulated control plane on a real port.')
    .option('--bind-address <address>', 'address to listen on', '127.0.0.1')
    .option('--secure-port <port>', 'port for HTTPS with a self-signed certificate (0: any)', portOf)
    .option('--http-port <port>', 'port for plain HTTP (0: any)', portOf)
    .option('--token-auth-file <file>', 'CSV of bearer tokens: token,user,uid,"group1,group2"')
    .addOption(
      new Option('--authorization-mode <mode>', 'who may do what')
        .choices(['AlwaysAllow', 'AlwaysDeny', 'RBAC'])
        .default('AlwaysAllow'),
    )
    .option('--seed <number>', 'seed of every random value', integerOf, 1)
    .option('--clock <clock>', 'real, manual, or xN for N times as fast', speedOf, 1)
    .option(
      '--feature-gates <gates>',
      'Name=true|false, comma separated',
      FeatureGates.parse,
      new FeatureGates(),
    )
    .option('--runtime-config <config>', 'API versions to serve or not, as kube-apiserver takes them')
    .option(
      '--etcd-compaction-interval <duration>',
      'how often old history is dropped (0: never)',
      durationOf,
      300_000,
    )
    .option('--api-server-only', 'no nodes, controllers or scheduler')
    .action(run);
}

async function run(flags: ServeFlags): Promise<void> {
  const { securePort, httpPort, tokenAuthFile, runtimeConfig } = flags;
  const hasNoPort = securePort === undefined && httpPort === undefined;
  const tokens =
    tokenAuthFile === undefined ? [] : [StaticTokens.parse(await readFile(tokenAuthFile, 'utf8'))];
  const serving = await serve({
    bindAddress: flags.bindAddress,
    ...(securePort !== undefined && { securePort }),
    ...(httpPort !== undefined && { httpPort }),
    ...(hasNoPort && { securePort: 6443 }),
    seed: flags.seed,
    speed: flags.clock,
    featureGates: flags.featureGates,
    ...(runtimeConfig !== undefined && { runtimeConfig }),
    authorizationMode: flags.authorizationMode,
    tokenAuthenticators: tokens,
    compactionIntervalMs: flags.etcdCompactionInterval,
    onDefect: (error) => console.error('defect of kubesim:', error),
  });
  for (const url of serving.urls) process.stdout.write(`serving on ${url}\n`);
  const stop = (): void => {
    void serving.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function integerOf(text: string): number {
  if (!/^-?[0-9]+$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function portOf(text: string): number {
  const port = integerOf(text);
  if (port < 0 || port > 65_535) throw new InvalidArgumentError('expected a port, 0 to 65535');
  return port;
}

function speedOf(text: string): number {
  if (text === 'real') return 1;
  if (text === 'manual') return 0;
  const match = /^x([0-9]+(\.[0-9]+)?)$/.exec(text);
  if (!match || Number(match[1]) <= 0)
    throw new InvalidArgumentError('expected real, manual or a speed such as x10');
  return Number(match[1]);
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration such as `5m0s` or `300ms`, in milliseconds. */
function durationOf(text: string): number {
  if (text === '0') return 0;
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text))
    throw new InvalidArgumentError('expected a duration such as 5m or 1m30s');
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/([0-9]+(\.[0-9]+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0);
  }
  return total;
}
