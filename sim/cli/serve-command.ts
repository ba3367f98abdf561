/** `kubesim serve`: a cluster on a real port. */
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { Dialect } from '../api/dialect.ts';
import { Auditor } from '../apiserver/audit/auditor.ts';
import { AuditPolicy } from '../apiserver/audit/policy.ts';
import { StaticTokens } from '../apiserver/authentication/static-tokens.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import { parseRuntimeConfig } from '../apiserver/registry/runtime-config.ts';
import type { AuthorizationMode } from '../cluster/control-plane.ts';
import {
  controllersOf,
  MODELLED_CONTROLLERS,
  UNMODELLED_CONTROLLERS,
} from '../cluster/controller-selection.ts';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import type { Fsync } from '../host/data-directory/data-directory.ts';
import { DataDirectoryError } from '../host/data-directory/file-layer.ts';
import { kubeconfigText, writePrivate } from '../host/kubeconfig.ts';
import { serve, type ServeOptions } from '../host/serve.ts';
import { isLoopback } from '../host/web-gate.ts';
import { strangerProblem } from './apiserver-flags.ts';
import {
  absolutePathOf,
  booleanOf,
  countOf,
  dialectOf,
  durationOf,
  flagParser,
  integerOf,
  namesOf,
  portOf,
  speedOf,
} from './flag-values.ts';

interface ServeFlags {
  readonly bindAddress: string;
  readonly securePort?: number;
  readonly httpPort?: number;
  readonly tokenAuthFile?: string;
  readonly authorizationMode: AuthorizationMode;
  readonly anonymousAuth?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly disableAdmissionPlugins?: string;
  readonly auditLogPath?: string;
  readonly auditPolicyFile?: string;
  readonly seed: number;
  readonly clock: number;
  readonly featureGates: FeatureGates;
  readonly runtimeConfig?: string;
  readonly etcdCompactionInterval: number;
  readonly dataDir?: string;
  readonly fsync: Fsync;
  readonly kubeconfigOut?: string;
  readonly dialect?: Dialect;
  readonly nodes?: number;
  readonly controllers?: readonly string[];
  readonly controllerManagers?: number;
  readonly leaderElect?: boolean;
  readonly scheduler: boolean;
  readonly apiServerOnly?: boolean;
  readonly kubeletPorts?: number;
  readonly kubeletAuthorizationMode: 'AlwaysAllow' | 'Webhook';
  readonly kubeletAnonymousAuth: boolean;
  readonly rootDir?: string;
}

/** `yamlProgram`: of the thread that reads large YAML. */
export function serveCommand(yamlProgram: URL): Command {
  return new Command('serve')
    .description('Serve a simulated cluster on a real port.')
    .option('--bind-address <address>', 'address to listen on', '127.0.0.1')
    .option('--secure-port <port>', 'port for HTTPS with a self-signed certificate (0: any)', portOf)
    .option('--http-port <port>', 'port for plain HTTP (0: any)', portOf)
    .option('--kubeconfig-out <file>', 'write a kubeconfig of an administrator')
    .option('--token-auth-file <file>', 'CSV of bearer tokens: token,user,uid,"group1,group2"')
    .addOption(
      new Option('--authorization-mode <mode>', 'who may do what')
        .choices(['AlwaysAllow', 'AlwaysDeny', 'RBAC'])
        .default('AlwaysAllow'),
    )
    .option(
      '--anonymous-auth [boolean]',
      'whether callers without credentials are system:anonymous (default: on the loopback, or with RBAC and --token-auth-file)',
      booleanOf,
    )
    .option(
      '--allowed-hosts <names>',
      'names beside localhost under which clients may ask for the server, comma separated; web pages of these may use it',
      namesOf,
    )
    .option('--disable-admission-plugins <names>', 'admission plugins that do not run, comma separated')
    .option('--audit-policy-file <file>', 'what is audited: a Policy of audit.k8s.io/v1')
    .option(
      '--audit-log-path <file>',
      'where audit events go, one JSON object on each line (-: standard output)',
    )
    .option(
      '--feature-gates <gates>',
      'Name=true|false, comma separated',
      flagParser((text) => FeatureGates.parse(RELEASE_1_31.gates, text)),
      new FeatureGates(RELEASE_1_31.gates),
    )
    .option(
      '--runtime-config <config>',
      'API versions to serve or not, as kube-apiserver takes them',
      flagParser(checkedRuntimeConfig),
    )
    .option(
      '--etcd-compaction-interval <duration>',
      'how often old history is dropped (0: never)',
      durationOf,
      300_000,
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
    .option(
      '--clock <clock>',
      'real, manual (what nodes have to say waits for it, too), or xN for N times as fast',
      speedOf,
      1,
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
    .option('--scheduler [boolean]', 'whether pods are given nodes', booleanOf, true)
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
  const [stranger] = command.args;
  if (stranger !== undefined) command.error(`error: ${strangerProblem(stranger)}`);
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
    ...(await optionsOf(flags, token)),
    yamlProgram,
    ...(audit && { auditor: audit.auditor }),
  };
  const serving = await serve(options).catch((error: unknown) => {
    if (error instanceof DataDirectoryError) command.error(`error: --data-dir: ${error.message}`);
    throw error;
  });
  const [url] = serving.urls;
  if (flags.kubeconfigOut !== undefined && token !== undefined && url !== undefined) {
    const text = kubeconfigText({
      url,
      token,
      certificate: url.startsWith('https:') ? serving.certificate : undefined,
    });
    writePrivate(flags.kubeconfigOut, text);
  }
  if (token !== undefined && flags.kubeconfigOut === undefined)
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

type Access = Pick<ServeFlags, 'bindAddress' | 'anonymousAuth' | 'tokenAuthFile' | 'authorizationMode'>;

/** Beyond the loopback nobody comes in unknown, unless that is asked for, or RBAC says what they may do. */
const allowsAnonymous = ({ bindAddress, anonymousAuth, tokenAuthFile, authorizationMode }: Access): boolean =>
  anonymousAuth ?? (isLoopback(bindAddress) || (tokenAuthFile !== undefined && authorizationMode === 'RBAC'));

const needsToken = (flags: Access): boolean => flags.tokenAuthFile === undefined && !allowsAnonymous(flags);

async function optionsOf(flags: ServeFlags, adminToken: string | undefined): Promise<ServeOptions> {
  const { securePort, httpPort, tokenAuthFile, runtimeConfig, dataDir, disableAdmissionPlugins } = flags;
  const hasNoPort = securePort === undefined && httpPort === undefined;
  const tokens =
    tokenAuthFile === undefined ? [] : [StaticTokens.parse(await readFile(tokenAuthFile, 'utf8'))];
  const admin =
    adminToken === undefined ? [] : [StaticTokens.parse(`${adminToken},kubesim-admin,,"system:masters"`)];
  return {
    bindAddress: flags.bindAddress,
    ...(securePort !== undefined && { securePort }),
    ...(httpPort !== undefined && { httpPort }),
    ...(hasNoPort && { securePort: 6443 }),
    seed: flags.seed,
    speed: flags.clock,
    featureGates: flags.featureGates,
    ...(runtimeConfig !== undefined && { runtimeConfig }),
    authorizationMode: flags.authorizationMode,
    ...(disableAdmissionPlugins !== undefined && {
      disabledAdmissionPlugins: disableAdmissionPlugins.split(','),
    }),
    tokenAuthenticators: [...tokens, ...admin],
    allowsAnonymous: allowsAnonymous(flags),
    ...(flags.allowedHosts && { allowedHosts: flags.allowedHosts }),
    compactionIntervalMs: flags.etcdCompactionInterval,
    ...(flags.apiServerOnly !== true && {
      nodes: flags.nodes ?? 1,
      controllers: flags.controllers ?? EVERY_CONTROLLER,
      scheduler: flags.scheduler,
      ...(flags.controllerManagers !== undefined && { controllerManagers: flags.controllerManagers }),
      ...(flags.leaderElect !== undefined && { leaderElect: flags.leaderElect }),
      agents: {
        authorizationMode: flags.kubeletAuthorizationMode,
        allowsAnonymous: flags.kubeletAnonymousAuth,
        ...(flags.rootDir !== undefined && { rootDirectory: flags.rootDir }),
      },
    }),
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

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

interface Audit {
  readonly auditor: Auditor;
  close(): void;
}

/** As with kube-apiserver, nothing is audited without a policy. */
async function auditOf(
  { auditLogPath, auditPolicyFile }: ServeFlags,
  command: Command,
): Promise<Audit | undefined> {
  if (auditPolicyFile === undefined || auditLogPath === undefined) {
    if (auditLogPath !== undefined) {
      process.stderr.write('No audit policy file provided, no events will be recorded for log backend\n');
    }
    return undefined;
  }
  const policy = await readPolicy(auditPolicyFile, command);
  if (auditLogPath === '-') {
    return {
      auditor: new Auditor({ policy, write: (event) => process.stdout.write(`${JSON.stringify(event)}\n`) }),
      close: () => undefined,
    };
  }
  const log = openSync(auditLogPath, 'a', 0o600);
  return {
    auditor: new Auditor({ policy, write: (event) => writeSync(log, `${JSON.stringify(event)}\n`) }),
    close: () => closeSync(log),
  };
}

async function readPolicy(file: string, command: Command): Promise<AuditPolicy> {
  try {
    return AuditPolicy.parse(await readFile(file, 'utf8'));
  } catch (error) {
    return command.error(
      `error: --audit-policy-file ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
