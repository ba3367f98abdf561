/**
 * Addresses and ports of services. The cluster has one family (IPv4); what is taken is read off the
 * stored services, so that several servers over one storage agree without further state. A dry run
 * claims nothing and shows values that no service ever has.
 */
import { goStringSlice } from '../../../../api/go-text.ts';
import { ApiError, type FieldError, internalError, plainError } from '../../../../api/status.ts';
import type { Service, ServiceSpec } from '../../../../api/types/core-v1.ts';
import { invalid, invalidError } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import {
  formatIpv4,
  type IpRange,
  isInRange,
  parseCidr,
  parseIp,
} from '../../../../api/validation/ip-address.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { clusterIpErrors } from './service-cluster-ips.ts';
import {
  isHeadless,
  mayHaveClusterIp,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
} from './service-traits.ts';

/** Addresses of services of a cluster that says nothing else. */
export const SERVICE_CIDR = '10.96.0.0/16';
const FIRST_NODE_PORT = 30_000;
const NODE_PORT_COUNT = 2_768;
/** Dry runs count node ports from here. */
const DRY_RUN_PORT = 32_769;
/** The first address of the range belongs to the service `kubernetes`. */
const RESERVED = 1n;

const SPEC = FieldPath.of('spec');
const IPS = SPEC.child('clusterIPs');

type DraftSpec = Draft<ServiceSpec>;

/** Before validation: singular and plural agree, families are known, and what was asked for can be had. @throws ApiError */
export function prepareAddresses(
  draft: Draft<Service>,
  old: Service | undefined,
  context: HookContext,
): void {
  const spec = (draft.spec ??= {});
  normalizeClusterIps(spec, old?.spec);
  if (spec.type === 'ExternalName') return;
  refuse(draft, clusterIpErrors(spec));
  refuse(draft, fillFamilies(spec, old?.spec));
  refuseRequested(draft, old, context);
}

function refuse({ metadata }: Draft<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}

/** What the request names, and cannot have. @throws ApiError */
function refuseRequested(draft: Draft<Service>, old: Service | undefined, context: HookContext): void {
  const { spec = {} } = draft;
  refuse(draft, requestedAddressErrors(spec, draft, { old: old?.spec, context }));
  refuse(draft, requestedPortErrors(spec, draft, old, context));
}

function normalizeClusterIps(spec: DraftSpec, old: ServiceSpec | undefined): void {
  if (!old) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  // A type without addresses is not given the old ones, so that there the plural may have been cleared.
  const isLeftOut = spec.type !== 'ExternalName' && !spec.clusterIPs?.length;
  if (isLeftOut && old.clusterIPs?.length && old.clusterIP === spec.clusterIP)
    spec.clusterIPs = [...old.clusterIPs];
  const isSilent = isLeftOut || isEqualJson(old.clusterIPs ?? [], spec.clusterIPs ?? []);
  if (old.clusterIP === spec.clusterIP || !isSilent) return;
  // A client that knows only the singular has changed or cleared it.
  if (old.clusterIP && !spec.clusterIP) delete spec.clusterIPs;
  else if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
}

const OTHER_FAMILY: Readonly<Record<string, 'IPv4' | 'IPv6'>> = { IPv4: 'IPv6', IPv6: 'IPv4' };

/** Families and policy of a cluster with IPv4 only. */
function fillFamilies(spec: DraftSpec, old: ServiceSpec | undefined): FieldError[] {
  if (isUnchangedDualStack(spec, old)) return [];
  if (old && mayHaveClusterIp(old) && spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy !== undefined)
    spec.ipFamilyPolicy = old.ipFamilyPolicy;
  if (old) releaseSecondary(spec, old);
  const families = [...(spec.ipFamilies ?? [])];
  const ips = spec.clusterIPs ?? [];
  const policy = spec.ipFamilyPolicy;
  const isFree = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
  const wrong = contradictions({ policy: policy ?? (isFree ? undefined : 'SingleStack'), families, ips });
  if (
    policy !== undefined &&
    policy !== 'SingleStack' &&
    families.length === 1 &&
    old?.ipFamilies?.length === 2
  )
    wrong.push(
      invalid(
        SPEC.child('ipFamilyPolicy'),
        policy,
        "must be 'SingleStack' to release the secondary IP family",
      ),
    );
  for (const [at, ip] of isHeadless(spec) ? [] : ips.entries()) {
    const family = parseIp(ip)?.family ?? 'IPv4';
    if (at < families.length) continue;
    if (family === 'IPv4') families.push(family);
    else
      wrong.push(invalid(IPS.index(at), goStringSlice(ips), `${family} is not configured on this cluster`));
  }
  if (wrong.length > 0) return wrong;
  if (isFree) {
    spec.ipFamilyPolicy ??= 'RequireDualStack';
    families[0] ??= 'IPv4';
    const other = OTHER_FAMILY[families[0]];
    if (families.length === 1 && other && spec.ipFamilyPolicy !== 'SingleStack') families.push(other);
    spec.ipFamilies = families;
    return [];
  }
  const errors = supportErrors(policy, families);
  if (errors.length > 0) return errors;
  spec.ipFamilyPolicy ??= 'SingleStack';
  spec.ipFamilies = families.length > 0 ? families : ['IPv4'];
  return [];
}

/** Who asks for one family, and says nothing else of the two there are, keeps the first. */
function releaseSecondary(spec: DraftSpec, old: ServiceSpec): void {
  if (spec.ipFamilyPolicy !== 'SingleStack' || old.ipFamilyPolicy === 'SingleStack') return;
  const { ipFamilies, clusterIPs } = spec;
  if (ipFamilies?.length === 2 && isEqualJson(ipFamilies, old.ipFamilies))
    spec.ipFamilies = ipFamilies.slice(0, 1);
  if (clusterIPs?.length === 2 && isEqualJson(clusterIPs, old.clusterIPs))
    spec.clusterIPs = clusterIPs.slice(0, 1);
}

const isUnchangedDualStack = (spec: DraftSpec, old: ServiceSpec | undefined): boolean =>
  old !== undefined &&
  old.ipFamilyPolicy === 'PreferDualStack' &&
  (['ipFamilyPolicy', 'ipFamilies', 'clusterIPs'] as const).every((member) =>
    isEqualJson(spec[member], old[member]),
  );

/** What policy, families and addresses say against each other. */
function contradictions({
  policy,
  families,
  ips,
}: {
  readonly policy: string | undefined;
  readonly families: readonly string[];
  readonly ips: readonly string[];
}): FieldError[] {
  const errors: FieldError[] = [];
  const path = SPEC.child('ipFamilyPolicy');
  const isSingle = policy === 'SingleStack';
  if (isSingle && ips.length === 2) {
    errors.push(
      invalid(
        path,
        policy,
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
      ),
    );
  }
  if (isSingle && families.length === 2) {
    errors.push(
      invalid(
        path,
        policy,
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
      ),
    );
  }
  return errors;
}

/** What a cluster of one family cannot give. */
function supportErrors(policy: string | undefined, families: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const path = SPEC.child('ipFamilyPolicy');
  if (policy === 'RequireDualStack')
    errors.push(invalid(path, policy, 'this cluster is not configured for dual-stack services'));
  for (const [at, family] of families.entries()) {
    if (family !== 'IPv4')
      errors.push(invalid(SPEC.child('ipFamilies').index(at), family, 'not configured on this cluster'));
  }
  return errors;
}

function rangeOf(cidr: string): IpRange {
  const range = parseCidr(cidr);
  if (!range) throw internalError(`service range ${cidr} is no range`);
  return range;
}

const RANGE = rangeOf(SERVICE_CIDR);
const ADDRESS_COUNT = 1n << BigInt(32 - RANGE.prefixLength);

/** The network's own address and the last one are nobody's. */
const isAllocatable = (bits: bigint): boolean => bits > RANGE.base && bits < RANGE.base + ADDRESS_COUNT - 1n;

const isSame = (
  service: { readonly metadata: Service['metadata'] },
  other: { readonly metadata: Service['metadata'] },
): boolean =>
  service.metadata.name === other.metadata.name && service.metadata.namespace === other.metadata.namespace;

const others = (draft: Draft<Service>, context: HookContext): readonly Service[] =>
  (context.lookupAll('services', '') as readonly Service[]).filter((service) => !isSame(service, draft));

function requestedAddressErrors(
  spec: DraftSpec,
  draft: Draft<Service>,
  { old, context }: { readonly old: ServiceSpec | undefined; readonly context: HookContext },
): FieldError[] {
  const ips = spec.clusterIPs ?? [];
  // Whether the others may change is told afterwards.
  const had = old && old.type !== 'ExternalName' ? (old.clusterIPs?.length ?? 0) : 0;
  if (isHeadless(spec) || ips.length === 0) return [];
  const failed = (ip: string, why: string): FieldError[] => [
    invalid(IPS, goStringSlice(ips), `failed to allocate IP ${ip}: ${why}`),
  ];
  for (const ip of ips.slice(had)) {
    const address = parseIp(ip);
    if (!address || !isInRange(address, RANGE) || !isAllocatable(address.bits)) {
      return failed(
        ip,
        `the provided IP (${shownAs(ip)}) is not in the valid range. The range of valid IPs is ${SERVICE_CIDR}`,
      );
    }
    const isReserved =
      address.bits === RANGE.base + RESERVED &&
      !isSame(draft, { metadata: { name: 'kubernetes', namespace: 'default' } });
    if (context.isDryRun) continue;
    if (isReserved || others(draft, context).some(({ spec: other }) => other?.clusterIPs?.includes(ip))) {
      return failed(ip, 'provided IP is already allocated');
    }
  }
  return [];
}

/** As the server reads it: without leading zeros. */
function shownAs(ip: string): string {
  const address = parseIp(ip);
  return address?.family === 'IPv4' ? formatIpv4(address.bits) : ip;
}

function requestedPortErrors(
  spec: DraftSpec,
  draft: Draft<Service>,
  old: Service | undefined,
  context: HookContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const ownBefore = new Set(portsOf(old?.spec));
  const claimed = new Set<number>();
  let taken: ReadonlySet<number> | undefined;
  const check = (port: number, path: FieldPath): void => {
    if (ownBefore.has(port)) return;
    if (claimed.has(port)) {
      errors.push(invalid(path, port, 'provided port is already allocated'));
      return;
    }
    claimed.add(port);
    // A dry run does not look at the range.
    const isOutside = port < FIRST_NODE_PORT || port >= FIRST_NODE_PORT + NODE_PORT_COUNT;
    if (isOutside && !context.isDryRun) {
      const last = FIRST_NODE_PORT + NODE_PORT_COUNT - 1;
      errors.push(
        invalid(
          path,
          port,
          `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${last}`,
        ),
      );
      return;
    }
    taken ??= takenPorts(others(draft, context));
    if (taken.has(port)) errors.push(invalid(path, port, 'provided port is already allocated'));
  };
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') {
    const byPort = new Map<number, number>();
    for (const [at, { port, nodePort }] of (spec.ports ?? []).entries()) {
      // The same port by another protocol shares its node port.
      if (!nodePort || (old ? claimed.has(nodePort) : byPort.get(port) === nodePort)) continue;
      if (!byPort.has(port)) byPort.set(port, nodePort);
      check(nodePort, SPEC.child('ports').index(at).child('nodePort'));
    }
  }
  const health = spec.healthCheckNodePort;
  if (needsHealthCheckPort(spec) && health && health > 0 && old?.spec?.healthCheckNodePort !== health) {
    const before = errors.length;
    check(health, SPEC.child('healthCheckNodePort'));
    if (errors.length > before) {
      throw internalError(
        `failed to allocate requested HealthCheck NodePort ${health}: ${whyOf(errors[before]?.message ?? '')}`,
      );
    }
  }
  return errors.slice(0, 1);
}

/** What an update cannot allocate is an error without a cause, and comes before all others. @throws Error */
export function refuseRepeatedPorts({ ports }: DraftSpec): void {
  const seen = new Set<string>();
  for (const { protocol = '', nodePort } of ports ?? []) {
    const pair = `${protocol} ${nodePort}`;
    if (nodePort && seen.has(pair)) throw plainError(`duplicate nodePort: {${pair}}`);
    seen.add(pair);
  }
}

const whyOf = (message: string): string => message.slice(message.indexOf('provided'));

const portsOf = (spec: ServiceSpec | undefined): readonly number[] => [
  ...(spec?.ports ?? []).map(({ nodePort }) => nodePort ?? 0),
  spec?.healthCheckNodePort ?? 0,
];

const takenPorts = (services: readonly Service[]): Set<number> =>
  new Set(services.flatMap(({ spec }) => portsOf(spec)));

interface Requested {
  readonly clusterIP: string | undefined;
  readonly clusterIPs: readonly string[] | undefined;
  readonly healthCheckNodePort: number | undefined;
  /** By port. */
  readonly nodePorts: readonly (number | undefined)[];
}

/** What there was before the server chose the rest. */
const requestedOf = new WeakMap<Draft<Service>, Requested>();

const requestedIn = ({ clusterIP, clusterIPs, healthCheckNodePort, ports = [] }: DraftSpec): Requested => ({
  clusterIP,
  clusterIPs,
  healthCheckNodePort,
  nodePorts: ports.map(({ nodePort }) => nodePort),
});

/** Others have written since: what they took is chosen anew, or refused where the request names it. @throws ApiError */
export function reallocateAddresses(
  draft: Draft<Service>,
  old: Service | undefined,
  context: HookContext,
): void {
  const { spec } = draft;
  const requested = requestedOf.get(draft);
  if (!spec || !requested || context.isDryRun || !isTaken(spec, others(draft, context))) return;
  for (const name of ['clusterIP', 'clusterIPs', 'healthCheckNodePort'] as const)
    if (requested[name] === undefined) delete spec[name];
  for (const [at, port] of (spec.ports ?? []).entries())
    if (requested.nodePorts[at] === undefined) delete port.nodePort;
  refuseRequested(draft, old, context);
  allocateAddresses(draft, old, context);
}

const isTaken = (spec: DraftSpec, services: readonly Service[]): boolean => {
  const ports = takenPorts(services);
  const ips = new Set(services.flatMap(({ spec: other }) => other?.clusterIPs ?? []));
  ips.delete('None');
  return (
    portsOf(spec).some((port) => port !== 0 && ports.has(port)) ||
    (spec.clusterIPs ?? []).some((ip) => ips.has(ip))
  );
};

/** After validation: fills in what the type needs and the request left open. @throws ApiError when nothing is left */
export function allocateAddresses(
  draft: Draft<Service>,
  old: Service | undefined,
  context: HookContext,
): void {
  // Writes through /status keep the spec as it is.
  if (old?.spec !== undefined && draft.spec === old.spec) return;
  const spec = (draft.spec ??= {});
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  // At a second try under another name, what was chosen at the first is nobody's wish.
  if (!requestedOf.has(draft)) requestedOf.set(draft, requestedIn(spec));
  if (needsClusterIp(spec) && !spec.clusterIP) {
    const ip = context.isDryRun ? formatIpv4(RANGE.base) : freeAddress(draft, context);
    spec.clusterIP = ip;
    spec.clusterIPs = [ip];
  }
  const needy = needsNodePort(spec) ? (spec.ports ?? []).filter(({ nodePort }) => !nodePort) : [];
  const needsHealth = needsHealthCheckPort(spec) && !spec.healthCheckNodePort;
  if (needy.length === 0 && !needsHealth) return;
  const source = context.isDryRun ? imaginedPorts(old) : portSource(draft, context);
  const shared = new Map<number, string[]>();
  for (const port of needy.length > 0 ? (spec.ports ?? []) : []) {
    if (port.nodePort) {
      source.claim(port.nodePort);
      continue;
    }
    const partner = partnerPort(spec, port.port, port.protocol ?? '', shared);
    port.nodePort = partner ?? source.next();
    const protocols = shared.get(port.nodePort) ?? [];
    shared.set(port.nodePort, [...protocols, port.protocol ?? '']);
  }
  if (needsHealth) spec.healthCheckNodePort = source.next();
}

/** A port of the same number and another protocol shares its node port. */
function partnerPort(
  spec: DraftSpec,
  port: number,
  protocol: string,
  shared: ReadonlyMap<number, readonly string[]>,
): number | undefined {
  const partner = (spec.ports ?? []).find(
    (other) =>
      other.port === port &&
      other.protocol !== protocol &&
      other.nodePort &&
      !shared.get(other.nodePort)?.includes(protocol),
  );
  return partner?.nodePort;
}

function freeAddress(draft: Draft<Service>, context: HookContext): string {
  const taken = new Set(others(draft, context).flatMap(({ spec }) => spec?.clusterIPs ?? []));
  const usable = ADDRESS_COUNT - 2n;
  const start = BigInt(context.uint32()) % usable;
  for (let step = 0n; step < usable; step += 1n) {
    const offset = ((start + step) % usable) + 1n;
    if (offset === RESERVED) continue;
    const ip = formatIpv4(RANGE.base + offset);
    if (!taken.has(ip)) return ip;
  }
  throw internalError('failed to allocate a serviceIP: range is full');
}

interface PortSource {
  /** The request names it itself. */
  claim(port: number): void;
  next(): number;
}

/** Of a dry run: behind the highest so far. */
function imaginedPorts(old: Service | undefined): PortSource {
  const before = portsOf(old?.spec);
  let last: number | undefined;
  return {
    claim(port) {
      if (!before.includes(port)) last = Math.max(last ?? 0, port);
    },
    next: () => (last = (last ?? DRY_RUN_PORT - 1) + 1),
  };
}

/** Gives one free port after another. */
function portSource(draft: Draft<Service>, context: HookContext): PortSource {
  const taken = takenPorts([...others(draft, context), draft]);
  const next = (): number => {
    const start = context.uint32() % NODE_PORT_COUNT;
    for (let step = 0; step < NODE_PORT_COUNT; step += 1) {
      const port = FIRST_NODE_PORT + ((start + step) % NODE_PORT_COUNT);
      if (taken.has(port)) continue;
      taken.add(port);
      return port;
    }
    throw new ApiError({
      reason: 'InternalError',
      message: 'Internal error occurred: failed to allocate a nodePort: range is full',
    });
  };
  return { claim: () => undefined, next };
}
