/** `kubesim serve`: a cluster on a real port. */
import type { Release } from '../api/release/release.ts';
import { findRelease } from '../api/release/releases.ts';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import type { Dialect } from '../api/dialect.ts';
import { StaticTokens } from '../apiserver/authentication/static-tokens.ts';
import { FeatureGateError, FeatureGates } from '../apiserver/feature-gates.ts';
import { hiddenMetricsProblem } from '../apiserver/metrics/metric-life.ts';
import {
  parseRuntimeConfig,
  unknownGroupsOf,
  unregisteredVersionOf,
} from '../apiserver/registry/runtime-config.ts';
import {
  controllersOf,
  MODELLED_CONTROLLERS,
  UNMODELLED_CONTROLLERS,
} from '../cluster/controller-selection.ts';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import type { Fsync } from '../host/data-directory/data-directory.ts';
import { makeUserKey } from '../host/certificates.ts';
import { serve, type ServeOptions } from '../host/serve.ts';
import { isLoopback } from '../host/web-gate.ts';
import { MAX_SPEED, type Speed } from '../host/real-time-driver.ts';
import { releaseName } from './command-options.ts';
import { sortStrangers } from './apiserver-flags.ts';
import {
  absolutePathOf,
  addressOf,
  forwardOf,
  booleanOf,
  countOf,
  dialectOf,
  durationOf,
  flagParser,
  integerOf,
  namesOf,
  pluginNamesOf,
  portOf,
  serversOf,
  speedOf,
} from './flag-values.ts';
import { readOption } from './option-file.ts';
import { accessOf, type AccessFlags, singleMode } from './serve-access.ts';
import { type AuditFlags, auditOf } from './serve-audit.ts';
import { type CertificateFlags, certificatesOf } from './serve-certificates.ts';
import { leaveKubeconfig, UNHEARD_TOKENS } from './serve-kubeconfig.ts';
import { fileProblem, startProblem } from './start-problem.ts';
import { type Parts, whatRuns } from './what-runs.ts';

interface ServeFlags extends CertificateFlags, AuditFlags, AccessFlags {
  readonly bindAddress: string;
  readonly securePort?: number;
  readonly httpPort?: number;
  readonly advertiseAddress?: string;
  readonly tokenAuthFile?: string;
  readonly allowPrivileged?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  readonly seed: number;
  readonly clock: Speed;
  readonly release: string;
  readonly featureGates: string;
  readonly runtimeConfig?: string;
  readonly showHiddenMetricsForVersion?: string;
  readonly etcdCompactionInterval: number;
  readonly dataDir?: string;
  readonly fsync: Fsync;
  readonly kubeconfigOut?: string;
  readonly dialect?: Dialect;
  readonly nodes?: number;
  readonly controllers?: readonly string[];
  readonly metricsServer?: boolean;
  readonly controllerManagers?: number;
  readonly leaderElect?: boolean;
  readonly apiServers?: number;
  readonly storageMembers?: number;
  readonly scheduler: boolean;
  readonly apiServerOnly?: boolean;
  readonly kubeletPorts?: number;
  readonly kubeletAuthorizationMode: 'AlwaysAllow' | 'Webhook';
  readonly kubeletAnonymousAuth: boolean;
  readonly rootDir?: string;
  readonly webhookForward?: ReadonlyMap<string, string>;
}

/** `yamlProgram`: of the thread that reads large YAML. */
export function serveCommand(yamlProgram: URL): Command {
  return new Command('serve')
    .description('Serve a simulated cluster on a real port.')
    .option('--bind-address <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--secure-port <port>',
      'port for HTTPS (0: any; default: 6443 without --http-port), with a certificate of an authority made for this run',
      portOf,
    )
    .option('--http-port <port>', 'port for plain HTTP (0: any)', portOf)
    .option(
      '--advertise-address <address>',
      'IPv4 address of default/kubernetes (default: that of --bind-address, unless it leads nowhere)',
      addressOf,
    )
    .option('--tls-cert-file <file>', 'certificate of the server in PEM, with --tls-private-key-file')
    .option('--tls-private-key-file <file>', 'its key in PEM')
    .option(
      '--cert-dir <directory>',
      'where both are apiserver.crt and apiserver.key, if they are there (default: a certificate made for this run)',
    )
    .option(
      '--client-ca-file <file>',
      "authorities in PEM whose certificates say who a user is (CN: user, O: groups), beside the run's own",
    )
    .option(
      '--kubeconfig-out <file>',
      'write a kubeconfig of an administrator: context kubesim with a token, kubesim-certificate with a client certificate',
    )
    .option('--token-auth-file <file>', 'CSV of bearer tokens: token,user,uid,"group1,group2"')
    .option(
      '--authentication-config <file>',
      'whose signed tokens are believed: an AuthenticationConfiguration, read anew when it changes',
    )
    .option(
      '--authorization-mode <modes>',
      'who decides what users may do, one after the other: AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook (default: AlwaysAllow)',
      namesOf,
    )
    .option(
      '--authorization-config <file>',
      'the same in an AuthorizationConfiguration, read anew when it changes',
    )
    .option(
      '--authorization-webhook-config-file <file>',
      'with the mode Webhook: a kubeconfig that says who is asked',
    )
    .option(
      '--authorization-webhook-version <version>',
      'v1 or v1beta1: of the reviews that it is sent (default: v1beta1)',
    )
    .option(
      '--authorization-webhook-cache-authorized-ttl <duration>',
      'how long it is not asked again what it has allowed (default: 5m)',
      durationOf,
    )
    .option(
      '--authorization-webhook-cache-unauthorized-ttl <duration>',
      'and what it has not (default: 30s)',
      durationOf,
    )
    .option(
      '--anonymous-auth [boolean]',
      'whether callers without credentials are system:anonymous (default: on the loopback, or with RBAC and --token-auth-file)',
      booleanOf,
    )
    .option(
      '--allow-privileged [boolean]',
      'whether containers may be privileged (default: false)',
      booleanOf,
    )
    .option(
      '--allowed-hosts <names>',
      'names beside localhost under which clients may ask for the server, comma separated; web pages of these may use it',
      namesOf,
    )
    .option(
      '--disable-admission-plugins <names>',
      'admission plugins that do not run, comma separated',
      pluginNamesOf,
    )
    .option('--audit-policy-file <file>', 'what is audited: a Policy of audit.k8s.io/v1')
    .option(
      '--audit-log-path <file>',
      'where audit events go, one JSON object on each line (-: standard output)',
    )
    .addOption(
      new Option(
        '--feature-gates <gates>',
        'Name=true|false, comma separated, as kube-apiserver of the release takes them; AllAlpha and AllBeta stand for all of them',
      ).default('', 'none'),
    )
    .option('--release <name>', 'release of Kubernetes that is served, 1.15 to 1.37', releaseName, '1.31')
    .option(
      '--runtime-config <config>',
      'API versions to serve or not, as kube-apiserver takes them',
      flagParser(checkedRuntimeConfig),
    )
    .addOption(
      new Option(
        '--etcd-compaction-interval <duration>',
        'how often history that is older than this is dropped: a duration such as 90s, 5m or 1h30m, 0 for never',
      )
        .argParser(durationOf)
        .default(300_000, '5m'),
    )
    .option(
      '--show-hidden-metrics-for-version <version>',
      'release before the served one, such as 1.30, whose metrics are shown though they are hidden by now',
    )
    .option('--data-dir <directory>', 'keep the storage on disk, so that it survives the process')
    .addOption(
      new Option(
        '--fsync <when>',
        'when what is in the data directory is forced to disk: before each answer (survives a loss of power), about once a second, or never (both survive the end of the process)',
      )
        .choices(['always', 'interval', 'never'])
        .default('always'),
    )
    .option('--seed <number>', 'seed of every random value', integerOf, 1)
    .addOption(
      new Option(
        '--clock <clock>',
        `real; xN for N virtual seconds in each real one (x0.1 to x${MAX_SPEED}); auto: real, but in jumps from one event to the next while all clients are still; or manual, moved by /kubesim/v1/clock alone (what nodes have to say waits for it, too)`,
      )
        .argParser(speedOf)
        .default(1, 'real'),
    )
    .option(
      '--dialect <dialect>',
      'kubernetes, or neutral=DOMAIN for the neutral words with groups of that domain',
      dialectOf,
    )
    .option('--nodes <number>', 'how many nodes: worker-1, worker-2, … (default: 1)', countOf)
    .option(
      '--controllers <list>',
      `which controllers run, as kube-controller-manager takes them: *, name, -name (default: *). Modelled: ${MODELLED_CONTROLLERS.join(', ')}. Not modelled: ${UNMODELLED_CONTROLLERS.join(', ')}`,
      flagParser(controllersOf),
    )
    .option(
      '--controller-managers <number>',
      'how many controller managers run them, of which one leads (default: 1)',
      countOf,
    )
    .option(
      '--leader-elect [boolean]',
      'whether controller managers and the scheduler work only while they hold a lease (default: controller managers if there are several)',
      booleanOf,
    )
    .option(
      '--metrics-server',
      'a metrics server that is installed: metrics.k8s.io, for kubectl top and autoscalers (without it one that is installed later works too)',
    )
    .option('--scheduler [boolean]', 'whether pods are given nodes', booleanOf, true)
    .option(
      '--api-servers <number>',
      'how many API servers share the storage; /kubesim/v1/faults says which clients others than the first answer (default: 1)',
      serversOf,
    )
    .option(
      '--storage-members <number>',
      'how many members the storage has, that can lag, be cut off and lose their majority (default: a storage that does not fail)',
      serversOf,
    )
    .option('--api-server-only', 'no nodes, no controllers and no scheduler')
    .option(
      '--kubelet-ports <port>',
      'first of the ports for HTTPS, one for each node, that lead to the agent of that node (0: any)',
      portOf,
    )
    .addOption(
      new Option(
        '--kubelet-authorization-mode <mode>',
        'who may use the endpoints of node agents: Webhook asks the API server',
      )
        .choices(['AlwaysAllow', 'Webhook'])
        .default('Webhook'),
    )
    .option(
      '--kubelet-anonymous-auth [boolean]',
      'whether node agents take callers without credentials for system:anonymous',
      booleanOf,
      false,
    )
    .option(
      '--root-dir <directory>',
      'directory of the node agents on their simulated disks; checkpoints are below it (default: /var/lib/kubelet)',
      absolutePathOf,
    )
    .option(
      '--webhook-forward <service=url>',
      'namespace/name[:port]=https://host:port: where calls of webhooks to that service lead (may be repeated)',
      forwardOf,
    )
    .allowUnknownOption()
    .allowExcessArguments()
    .action((flags: ServeFlags, command: Command) => run(flags, command, yamlProgram));
}

const MAX_PORT = 65_535;

/** A mistake is told at the start, not when the registry is made. */
function checkedRuntimeConfig(text: string): string {
  parseRuntimeConfig(text);
  return text;
}

async function run(flags: ServeFlags, command: Command, yamlProgram: URL): Promise<void> {
  const { notices, problem } = sortStrangers(command.args);
  if (problem !== undefined) command.error(`error: ${problem}`);
  for (const notice of notices) process.stderr.write(`${notice}\n`);
  if (flags.apiServerOnly === true && (flags.nodes !== undefined || flags.controllers !== undefined))
    command.error('error: --api-server-only leaves no room for --nodes and --controllers');
  if (flags.apiServerOnly === true && (flags.controllerManagers ?? flags.leaderElect) !== undefined)
    command.error('error: --api-server-only leaves no room for --controller-managers and --leader-elect');
  if (flags.apiServerOnly === true && flags.kubeletPorts !== undefined)
    command.error('error: --api-server-only leaves no node for --kubelet-ports');
  const lastPort = (flags.kubeletPorts ?? 0) + (flags.nodes ?? 1) - 1;
  if (lastPort > MAX_PORT && flags.kubeletPorts !== 0)
    command.error(`error: --kubelet-ports ${flags.kubeletPorts}: the last node would have port ${lastPort}`);
  // A user who is not in the file of tokens is brought in by a kubeconfig that is asked for, or when nobody else could come in.
  const isTokenNeeded = flags.kubeconfigOut !== undefined || needsToken(flags);
  const token = isTokenNeeded ? randomBytes(16).toString('hex') : undefined;
  const audit = await auditOf(flags, command);
  const options = {
    ...(await optionsOf(flags, token, command)),
    ...certificatesOf(flags, command),
    yamlProgram,
    ...(audit && { auditor: audit.auditor }),
  };
  const file = flags.kubeconfigOut;
  const key = file === undefined ? undefined : makeUserKey();
  const serving = await serve(options).catch((error: unknown) => {
    const why = startProblem(error);
    if (why !== undefined) command.error(`error: ${why}`);
    throw error;
  });
  const [url] = serving.urls;
  if (file !== undefined && key && token !== undefined && url !== undefined)
    await leaveKubeconfig(serving, { file, url, token, key }, command);
  process.stdout.write(whatRuns(partsOf(flags)));
  if (file !== undefined && url?.startsWith('http:') && asksWhoOneIs(flags))
    process.stdout.write(UNHEARD_TOKENS);
  if (token !== undefined && file === undefined)
    process.stdout.write(`token of kubesim-admin, without which nobody is let in: ${token}\n`);
  for (const each of serving.nodeUrls) process.stdout.write(`node ${each.node} on ${each.url}\n`);
  for (const each of serving.urls) process.stdout.write(`serving on ${each}\n`);
  const stop = (): void => {
    void serving.stop().then(() => {
      audit?.close();
      process.exit(0);
    });
  };
  // The last catcher: what gets here was for one client at the most, and the others are still being served.
  process.on('uncaughtException', serving.onDefect);
  process.on('unhandledRejection', serving.onDefect);
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

const asksWhoOneIs = (flags: ServeFlags): boolean =>
  needsToken(flags) || (flags.authorizationMode ?? []).some((mode) => mode !== 'AlwaysAllow');

const partsOf = ({
  apiServerOnly = false,
  nodes = 1,
  scheduler,
  controllers,
  release,
}: ServeFlags): Parts => ({
  version: releaseOf(release).versionInfo.gitVersion,
  nodes: apiServerOnly ? 0 : nodes,
  hasScheduler: !apiServerOnly && scheduler,
  controllers: apiServerOnly ? [] : controllers,
});

type Access = Pick<
  ServeFlags,
  'bindAddress' | 'anonymousAuth' | 'tokenAuthFile' | 'authorizationMode' | 'authorizationConfig'
>;

/** Beyond the loopback nobody comes in unknown, unless that is asked for, or RBAC says what they may do. */
const allowsAnonymous = (flags: Access): boolean =>
  flags.anonymousAuth ??
  (isLoopback(flags.bindAddress) || (flags.tokenAuthFile !== undefined && singleMode(flags) === 'RBAC'));

const needsToken = (flags: Access): boolean => flags.tokenAuthFile === undefined && !allowsAnonymous(flags);

async function optionsOf(
  flags: ServeFlags,
  adminToken: string | undefined,
  command: Command,
): Promise<ServeOptions> {
  const { securePort, httpPort, tokenAuthFile, runtimeConfig, dataDir, disableAdmissionPlugins } = flags;
  const release = releaseOf(flags.release);
  const hasNoPort = securePort === undefined && httpPort === undefined;
  const tokens = tokensOf(tokenAuthFile, command);
  const gates = gatesOf(release, flags.featureGates, command);
  const access = accessOf(flags, gates, command);
  const admin =
    adminToken === undefined ? [] : [StaticTokens.parse(`${adminToken},kubesim-admin,,"system:masters"`)];
  return {
    bindAddress: flags.bindAddress,
    ...(securePort !== undefined && { securePort }),
    ...(httpPort !== undefined && { httpPort }),
    ...(hasNoPort && { securePort: 6443 }),
    seed: flags.seed,
    speed: flags.clock,
    release,
    featureGates: gates,
    ...hiddenMetricsOf(release, flags.showHiddenMetricsForVersion, command),
    ...runtimeConfigOf(release, runtimeConfig, command),
    authorizationMode: singleMode(flags),
    ...(access && { access }),
    ...(disableAdmissionPlugins && { disabledAdmissionPlugins: disableAdmissionPlugins }),
    tokenAuthenticators: [...tokens, ...admin],
    allowsAnonymous: allowsAnonymous(flags),
    allowsPrivileged: flags.allowPrivileged ?? false,
    ...(flags.advertiseAddress !== undefined && { advertiseAddress: flags.advertiseAddress }),
    ...(flags.allowedHosts && { allowedHosts: flags.allowedHosts }),
    ...(flags.apiServers !== undefined && { apiServers: flags.apiServers }),
    ...(flags.storageMembers !== undefined && { storageMembers: flags.storageMembers }),
    compactionIntervalMs: flags.etcdCompactionInterval,
    ...(flags.apiServerOnly !== true && {
      isProxyKnown: true,
      nodes: flags.nodes ?? 1,
      controllers: flags.controllers ?? EVERY_CONTROLLER,
      scheduler: flags.scheduler,
      metricsServer: flags.metricsServer === true ? 'installed' : 'standby',
      ...(flags.controllerManagers !== undefined && { controllerManagers: flags.controllerManagers }),
      ...(flags.leaderElect !== undefined && { leaderElect: flags.leaderElect }),
      agents: {
        authorizationMode: flags.kubeletAuthorizationMode,
        allowsAnonymous: flags.kubeletAnonymousAuth,
        ...(flags.rootDir !== undefined && { rootDirectory: flags.rootDir }),
      },
    }),
    ...(flags.webhookForward && { webhookForwards: flags.webhookForward }),
    ...(flags.kubeletPorts !== undefined && { kubeletPorts: flags.kubeletPorts }),
    ...(flags.dialect && { dialect: flags.dialect }),
    ...(dataDir !== undefined && { dataDirectory: dataDir, fsync: flags.fsync }),
    onNotice: (line) => process.stderr.write(`${line}\n`),
    onStorageLost: (error) => {
      process.stderr.write(`error: ${error.message}; a new start reads what is there\n`);
      process.exit(1);
    },
    onDefect: (error) => process.stderr.write(`defect of kubesim: ${describe(error)}\n`),
  };
}

function runtimeConfigOf(
  { catalog }: Release,
  text: string | undefined,
  command: Command,
): Pick<ServeOptions, 'runtimeConfig'> {
  if (text === undefined) return {};
  const unknown = unknownGroupsOf(catalog.resources.all, text);
  const unregistered = unregisteredVersionOf(catalog.kinds.groupVersions, text);
  const problem =
    unknown.length > 0
      ? `unknown api groups ${unknown.join(',')}`
      : unregistered !== undefined && `group version ${unregistered} that has not been registered`;
  if (problem)
    command.error(`error: option '--runtime-config <config>' argument '${text}' is invalid. ${problem}`);
  return { runtimeConfig: text };
}

const releaseOf = (name: string): Release => findRelease(name) ?? RELEASE_1_31;

function hiddenMetricsOf(
  release: Release,
  version: string | undefined,
  command: Command,
): Pick<ServeOptions, 'showsHiddenMetricsFor'> {
  if (version === undefined) return {};
  const problem = hiddenMetricsProblem(release, version);
  return problem === undefined ? { showsHiddenMetricsFor: version } : command.error(`error: ${problem}`);
}

function gatesOf({ gates }: Release, text: string, command: Command): FeatureGates {
  try {
    const parsed = FeatureGates.parse(gates, text);
    for (const warning of parsed.warnings) process.stderr.write(`${warning}\n`);
    return parsed;
  } catch (error) {
    if (!(error instanceof FeatureGateError)) throw error;
    return command.error(
      `error: option '--feature-gates <gates>' argument '${text}' is invalid. ${error.message}`,
    );
  }
}

function tokensOf(file: string | undefined, command: Command): StaticTokens[] {
  const text = readOption('--token-auth-file', file, command);
  if (file === undefined || text === undefined) return [];
  try {
    return [StaticTokens.parse(text)];
  } catch (error) {
    return command.error(`error: ${fileProblem('--token-auth-file', file, error)}`);
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
