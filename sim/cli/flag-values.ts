/** Values of the command line's flags. */
import { isIPv4 } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { MAX_SPEED, type Speed } from '../host/real-time-driver.ts';
import { checkPluginNames } from '../apiserver/admission/default-plugins.ts';
import { type Dialect, neutralDialect } from '../api/dialect.ts';

/** Not below the domain of labels, so that the two are told apart. */
const DEFAULT_GROUP_DOMAIN = 'orchestrator.dev';

export function integerOf(text: string): number {
  if (!/^-?[0-9]+$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

export function countOf(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 0 on');
  return Number(text);
}

const MOST_SERVERS = 9;

/** As many as a control plane may sensibly have. */
export function serversOf(text: string): number {
  const count = countOf(text);
  if (count < 1 || count > MOST_SERVERS)
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_SERVERS}`);
  return count;
}

export function portOf(text: string): number {
  const port = integerOf(text);
  if (port < 0 || port > 65_535) throw new InvalidArgumentError('expected a port, 0 to 65535');
  return port;
}

export function addressOf(text: string): string {
  if (!isIPv4(text) || /^(127|0)\./.test(text))
    throw new InvalidArgumentError('expected an IPv4 address that is not of the loopback');
  return text;
}

export function booleanOf(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false');
  return text === 'true';
}

export function namesOf(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('expected names, comma separated');
  return names;
}

/** Of kube-apiserver, beside those that are modelled: they never run here. */
const UNMODELLED_PLUGINS = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'MutatingAdmissionPolicy',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NodeRestriction',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeLabel',
  'PodNodeSelector',
  'PodSecurityPolicy',
  'PodTolerationRestriction',
  'PodTopologyLabels',
  'SecurityContextDeny',
];

/** Names of admission plugins. One that is misspelt would run, though it is said not to. */
export function pluginNamesOf(text: string): readonly string[] {
  const names = namesOf(text);
  flagParser(checkPluginNames)(names.filter((name) => !UNMODELLED_PLUGINS.includes(name)));
  return names;
}

export function absolutePathOf(text: string): string {
  if (!/^\/([^/]+\/?)+$/.test(text)) throw new InvalidArgumentError('expected an absolute path');
  return text.replace(/\/$/, '');
}

/** `real`, `manual`, `auto` or `xN`: virtual seconds for each real one. */
export function speedOf(text: string): Speed {
  if (text === 'auto') return text;
  if (text === 'real') return 1;
  if (text === 'manual') return 0;
  const match = /^x([0-9]+(\.[0-9]+)?)$/.exec(text);
  if (!match || Number(match[1]) <= 0 || Number(match[1]) > MAX_SPEED)
    throw new InvalidArgumentError(`expected real, manual, auto or a speed such as x10, up to x${MAX_SPEED}`);
  return Number(match[1]);
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration such as `5m0s` or `300ms`, in milliseconds. */
export function durationOf(text: string): number {
  if (text === '0') return 0;
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) {
    throw new InvalidArgumentError('expected a duration such as 5m or 1m30s');
  }
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/([0-9]+(\.[0-9]+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0);
  }
  return total;
}

/** `kubernetes`, `neutral` or `neutral=DOMAIN`. */
export function dialectOf(text: string): Dialect | undefined {
  if (text === 'kubernetes') return undefined;
  const match = /^neutral(?:=([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*))?$/.exec(text);
  if (!match) throw new InvalidArgumentError('expected kubernetes, neutral or neutral=DOMAIN');
  return neutralDialect(match[1] ?? DEFAULT_GROUP_DOMAIN);
}

/** A parser whose errors commander prints as those of the flag. */
export const flagParser =
  <From, To>(parse: (value: From) => To): ((value: From) => To) =>
  (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };

/** Takes one more `namespace/name[:port]=https://host:port`. */
export function forwardOf(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const [, service, url = ''] = /^([^/=\s]+\/[^/=:\s]+(?::[0-9]+)?)=(.*)$/.exec(text) ?? [];
  if (service === undefined || !/^https?:\/\/[^/\s]+\/?$/.test(url) || !URL.canParse(url))
    throw new InvalidArgumentError('expected namespace/name[:port]=https://host:port');
  return new Map([...before, [service, new URL(url).origin]]);
}
