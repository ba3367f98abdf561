/** Who comes in to `kubesim serve` and who decides, where more than one mode or a file says it. */
import type { Command } from 'commander';
import {
  AUTHORIZER_TYPES,
  type AuthorizationConfiguration,
  type AuthorizerType,
} from '../apiserver/authorization/authorization-configuration.ts';
import { ConfigurationError } from '../apiserver/configuration/configuration-document.ts';
import type { FeatureGates } from '../apiserver/feature-gates.ts';
import type { AuthorizationMode } from '../cluster/control-plane.ts';
import { AccessFiles } from '../host/access-files.ts';
import { KubeconfigError } from '../host/webhook-kubeconfig.ts';
import { formatDuration } from '../api/time-format.ts';
import { goQuote } from '../api/go-text.ts';
import { fileProblem } from './start-problem.ts';

export interface AccessFlags {
  readonly authenticationConfig?: string;
  readonly authorizationConfig?: string;
  readonly authorizationMode?: readonly string[];
  readonly authorizationWebhookConfigFile?: string;
  readonly authorizationWebhookVersion?: string;
  readonly authorizationWebhookCacheAuthorizedTtl?: number;
  readonly authorizationWebhookCacheUnauthorizedTtl?: number;
  readonly anonymousAuth?: boolean;
}

const SINGLE: readonly AuthorizationMode[] = ['AlwaysAllow', 'AlwaysDeny', 'RBAC'];

/** The one mode that decides, where there is one alone. */
export function singleMode({
  authorizationConfig,
  authorizationMode = ['AlwaysAllow'],
}: AccessFlags): AuthorizationMode {
  const [only, ...more] = authorizationMode;
  const found = SINGLE.find((mode) => mode === only);
  return authorizationConfig === undefined && more.length === 0 && found ? found : 'RBAC';
}

/** Undefined: one mode decides, and nobody else's tokens are believed. */
export function accessOf(flags: AccessFlags, gates: FeatureGates, command: Command): AccessFiles | undefined {
  const fail = (problem: string): never => command.error(`error: ${problem}`);
  const { authenticationConfig, authorizationConfig } = flags;
  checkGates(flags, gates, fail);
  const authorizers = authorizationConfig === undefined ? modesOf(flags, fail) : undefined;
  if (authenticationConfig === undefined && authorizationConfig === undefined && !authorizers)
    return undefined;
  const options = {
    authorizers,
    authentication: authenticationConfig,
    authorization: authorizationConfig,
    gates: {
      isStructured: gates.isEnabled('StructuredAuthenticationConfiguration'),
      hasAnonymous: gates.isEnabled('AnonymousAuthConfigurableEndpoints'),
    },
    told: (line: string) => process.stderr.write(`${line}\n`),
  };
  try {
    const files = new AccessFiles(options);
    if (files.anonymous && flags.anonymousAuth !== undefined) return fail(BOTH_ANONYMOUS);
    return files;
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof KubeconfigError) return fail(error.message);
    const file = authenticationConfig ?? authorizationConfig ?? '';
    return fail(fileProblem('--authentication-config or --authorization-config', file, error));
  }
}

const BOTH_ANONYMOUS =
  'anonymous: Forbidden: --anonynous-auth flag cannot be set when anonymous field is configured in authentication configuration file';

function checkGates(
  { authenticationConfig, authorizationConfig, ...flags }: AccessFlags,
  gates: FeatureGates,
  fail: (problem: string) => never,
): void {
  if (authenticationConfig !== undefined && !gates.isEnabled('StructuredAuthenticationConfiguration'))
    fail('set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file');
  if (authorizationConfig === undefined) return;
  if (!gates.isEnabled('StructuredAuthorizationConfiguration'))
    fail(
      '--authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag',
    );
  const isLegacy = Object.entries(flags).some(
    ([name, value]) => name.startsWith('authorization') && value !== undefined,
  );
  if (isLegacy)
    fail(
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    );
}

/** Undefined: a single mode that needs no chain. */
function modesOf(
  flags: AccessFlags,
  fail: (problem: string) => never,
): AuthorizationConfiguration | undefined {
  const { authorizationMode: modes = ['AlwaysAllow'], authorizationWebhookConfigFile: file } = flags;
  for (const mode of modes)
    if (!isType(mode)) fail(`authorization-mode ${goQuote(mode)} is not a valid mode`);
  if (modes.includes('ABAC')) fail(`--authorization-mode=ABAC is not modelled: RBAC says who may do what`);
  if (modes.includes('Webhook') && file === undefined)
    fail("authorization-mode Webhook's authorization config file not passed");
  if (!modes.includes('Webhook') && file !== undefined)
    fail('cannot specify --authorization-webhook-config-file without mode Webhook');
  if (new Set(modes).size < modes.length)
    fail(`authorization-mode [${modes.map(goQuote).join(' ')}] has mode specified more than once`);
  const [only, ...more] = modes;
  if (more.length === 0 && SINGLE.some((mode) => mode === only)) return undefined;
  return modes.filter(isType).map((type) => (type === 'Webhook' ? webhookOf(flags, fail) : { type }));
}

const isType = (mode: string): mode is AuthorizerType => AUTHORIZER_TYPES.some((type) => type === mode);

const TIMEOUT_MS = 30_000;
const NANOS_PER_MS = 1_000_000n;

function webhookOf(
  {
    authorizationWebhookConfigFile: file = '',
    authorizationWebhookVersion: version = 'v1beta1',
    authorizationWebhookCacheAuthorizedTtl: allowedTtlMs = 300_000,
    authorizationWebhookCacheUnauthorizedTtl: refusedTtlMs = 30_000,
  }: AccessFlags,
  fail: (problem: string) => never,
): AuthorizationConfiguration[number] {
  if (version !== 'v1' && version !== 'v1beta1')
    return fail(
      `unsupported webhook authorizer version ${goQuote(version)}, supported versions are "v1", "v1beta1"`,
    );
  return {
    type: 'Webhook',
    webhook: {
      name: 'default',
      version,
      timeoutMs: TIMEOUT_MS,
      timeoutText: formatDuration(BigInt(TIMEOUT_MS) * NANOS_PER_MS),
      allowedTtlMs,
      refusedTtlMs,
      isFailureDenied: false,
      conditions: [],
      kubeConfigFile: file,
    },
  };
}
