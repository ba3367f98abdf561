/** What is accepted in a pod's spec but deserves a warning. */
import { append } from '../../../../api/append.ts';
import type { ObjectMeta } from '../../../../api/object.ts';
import type { PodAffinityTerm, PodSpec, PodTemplateSpec, Volume } from '../../../../api/types/core-v1.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label } from '../../../../api/validation/names.ts';
import type { HookContext } from '../../strategy.ts';
import { isInteger } from './quantities.ts';
import { APP_ARMOR, KNOWS_APP_ARMOR, oldAnnotationText } from './app-armor.ts';

/** Labels of nodes that have a new name; empty: the label went without one. */
const OLD_NODE_LABELS: Readonly<Record<string, readonly [since: string, use: string]>> = {
  'beta.kubernetes.io/arch': ['1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['1.14', 'kubernetes.io/os'],
  'failure-domain.beta.kubernetes.io/region': ['1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['1.17', 'topology.kubernetes.io/zone'],
  'beta.kubernetes.io/instance-type': ['1.17', 'node.kubernetes.io/instance-type'],
};

/** `deprecated since v1.14; use "kubernetes.io/os" instead`; undefined: the label is fine. */
export function oldNodeLabel(label: string): string | undefined {
  const known = Object.hasOwn(OLD_NODE_LABELS, label) ? OLD_NODE_LABELS[label] : undefined;
  return known && `deprecated since v${known[0]}; use "${known[1]}" instead`;
}

/** What was not warned of in every release. */
type KnownSince = Pick<HookContext, 'isReleasedBy'>;

export function podTemplateWarnings(
  template: PodTemplateSpec | undefined,
  path: FieldPath,
  release: KnownSince,
): readonly string[] {
  if (!template?.spec) return [];
  return podWarnings(template.metadata ?? {}, template.spec, {
    spec: path.child('spec'),
    annotations: path.child('metadata', 'annotations'),
    isTemplate: true,
    release,
  });
}

export interface WarnedPaths {
  readonly spec: FieldPath;
  readonly annotations: FieldPath;
  readonly isTemplate?: boolean;
  readonly release: KnownSince;
}

export function podWarnings(metadata: ObjectMeta, spec: PodSpec, paths: WarnedPaths): readonly string[] {
  const path = paths.spec;
  return [
    ...nodeLabelWarnings(spec, path),
    ...spreadWarnings(spec, path),
    ...annotationWarnings(metadata, paths.annotations),
    ...volumeWarnings(spec, path),
    ...aliasWarnings(spec, path),
    ...pullSecretWarnings(spec, path),
    ...seccompWarnings(metadata, spec, paths.annotations),
    ...containerWarnings(metadata, spec, paths),
    ...overheadWarnings(spec, path),
    ...graceWarnings(spec, path),
    ...affinityWarnings(spec, path),
  ];
}

/** Names of workloads and pods become host names. */
export function hostnameWarning(name: string | undefined, use: string): readonly string[] {
  const findings = name ? dns1123Label(name) : [];
  if (findings.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${findings.join(' ')}]`,
  ];
}

const OLD_ANNOTATIONS: readonly (readonly [name: string, since: string, use: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', '1.16', 'priorityClassName'],
  ['security.alpha.kubernetes.io/sysctls', '1.11', 'sysctls'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', '1.11', 'sysctls'],
];
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

const idleText = (path: FieldPath, name: string, since: string, use: string): string =>
  `${path.key(name).text}: non-functional in v${since}+; use the "${use}" field instead`;

const annotationWarnings = ({ annotations = {} }: ObjectMeta, path: FieldPath): readonly string[] =>
  OLD_ANNOTATIONS.filter(([name]) => Object.hasOwn(annotations, name)).map(([name, since, use]) =>
    idleText(path, name, since, use),
  );

const seccompWarnings = (
  { annotations = {} }: ObjectMeta,
  { securityContext }: PodSpec,
  path: FieldPath,
): readonly string[] =>
  Object.hasOwn(annotations, SECCOMP_POD) && !securityContext?.seccompProfile
    ? [idleText(path, SECCOMP_POD, '1.27', 'seccompProfile')]
    : [];

function nodeLabelWarnings({ nodeSelector = {}, affinity }: PodSpec, path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  for (const label of Object.keys(nodeSelector).sort()) {
    const why = oldNodeLabel(label);
    if (why) warnings.push(`${path.child('nodeSelector').key(label).text}: ${why}`);
  }
  const { nodeAffinity } = affinity ?? {};
  const own = path.child('affinity', 'nodeAffinity');
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = [
    ...required.map((term, at) => [term, own.child(REQUIRED, 'nodeSelectorTerms').index(at)] as const),
    ...preferred.map(
      ({ preference }, at) => [preference, own.child(PREFERRED).index(at).child('preference')] as const,
    ),
  ];
  for (const [term, place] of terms) {
    term?.matchExpressions?.forEach(({ key }, at) => {
      const why = oldNodeLabel(key);
      const keyPath = place.child('matchExpressions').index(at).child('key');
      if (why) warnings.push(`${keyPath.text}: ${key} is ${why}`);
    });
  }
  return warnings;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function aliasWarnings({ hostAliases = [] }: PodSpec, path: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return hostAliases.flatMap(({ ip = '' }, at) => {
    const isKnown = seen.has(ip);
    seen.add(ip);
    return isKnown ? [`${path.child('hostAliases').index(at).child('ip').text}: duplicate ip "${ip}"`] : [];
  });
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function spreadWarnings({ topologySpreadConstraints = [] }: PodSpec, path: FieldPath): readonly string[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, at) => {
    const own = path.child('topologySpreadConstraints').index(at);
    const why = oldNodeLabel(topologyKey);
    return [
      ...(why ? [`${own.child('topologyKey').text}: ${topologyKey} is ${why}`] : []),
      ...(labelSelector ? [] : [`${own.child('labelSelector').text}: ${NO_SELECTOR}`]),
    ];
  });
}

/** In the order in which they are warned of. */
const OLD_VOLUMES: readonly (readonly [name: keyof Volume, text: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];
const VOLUME_NAMES: Readonly<Partial<Record<keyof Volume, string>>> = { storageos: 'storageOS' };

function volumeWarnings({ volumes = [] }: PodSpec, path: FieldPath): readonly string[] {
  return volumes.flatMap((volume, at) => {
    const own = path.child('volumes').index(at);
    const warnings = OLD_VOLUMES.filter(([name]) => volume[name] !== undefined).map(
      ([name, text]) => `${own.child(VOLUME_NAMES[name] ?? name).text}: ${text}`,
    );
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
    const claimPath = own.child('ephemeral', 'volumeClaimTemplate', 'spec', 'resources');
    return [...warnings, ...fractionWarnings(claim, claimPath, ['storage']).toReversed()];
  });
}

function pullSecretWarnings({ imagePullSecrets = [] }: PodSpec, path: FieldPath): readonly string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  const empty: string[] = [];
  imagePullSecrets.forEach(({ name = '' }, at) => {
    const own = path.child('imagePullSecrets').index(at).child('name').text;
    if (seen.has(name)) repeated.push(`${own}: duplicate name "${name}"`);
    if (name === '') empty.push(`${own}: invalid empty name ""`);
    seen.add(name);
  });
  return [...repeated, ...empty];
}

function containerWarnings(
  { annotations = {} }: ObjectMeta,
  spec: PodSpec,
  { spec: path, annotations: annotationsPath, isTemplate = false, release }: WarnedPaths,
): readonly string[] {
  const warnings: string[] = [];
  const warnsOfAppArmor = isTemplate && release.isReleasedBy(KNOWS_APP_ARMOR);
  for (const list of ['initContainers', 'containers'] as const) {
    (spec[list] ?? []).forEach(({ name, resources, env, securityContext }, at) => {
      const own = path.child(list).index(at);
      const seccomp = SECCOMP_CONTAINER + name;
      if (Object.hasOwn(annotations, seccomp) && !securityContext?.seccompProfile)
        warnings.push(idleText(annotationsPath, seccomp, '1.27', 'seccompProfile'));
      const appArmor = APP_ARMOR + name;
      const isConfined = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
      if (warnsOfAppArmor && Object.hasOwn(annotations, appArmor) && !isConfined)
        warnings.push(oldAnnotationText(annotationsPath.key(appArmor)));
      append(warnings, fractionWarnings(resources, own.child('resources'), ['memory', 'ephemeral-storage']));
      const names = new Map<string, string>();
      env?.forEach(({ name, value = '' }, index) => {
        const before = names.get(name);
        // A variable may add to what it hides; one that is nothing but the other hides it.
        const itself = `$(${name})`;
        if (before !== undefined && (value === itself || !value.includes(itself))) {
          const place = own.child('env').index(index).text;
          warnings.push(
            `${place}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
          );
        }
        names.set(name, value);
      });
    });
  }
  return [...warnings, ...portWarnings(spec, path)];
}

interface SeenPort {
  readonly place: string;
  readonly hostPort: number;
  readonly hostIP: string;
}

/** Every port is compared with all of its number before it: so often, and the rest is not warned of. */
const MOST_PAIRS = 100_000;

function portWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  const seen = new Map<string, SeenPort[]>();
  const warnings: string[] = [];
  let left = MOST_PAIRS;
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    // A StatefulSet may have a template without any.
    spec[list]?.forEach(({ ports }, at) => {
      ports?.forEach(({ name = '', containerPort, protocol = '', hostPort = 0, hostIP = '' }, index) => {
        const place = path.child(list).index(at).child('ports').index(index).text;
        if (hostIP !== '' && hostPort === 0) {
          const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
          warnings.push(`${place}: hostIP set without hostPort: ${shown}`);
        }
        const port = { place, hostPort, hostIP };
        const key = `${containerPort}/${protocol}`;
        const others = seen.get(key) ?? [];
        for (const other of others) {
          if (left-- <= 0) break;
          const relation = relationOf(port, other);
          if (relation) warnings.push(`${place}: ${relation} port definition with ${other.place}`);
        }
        others.push(port);
        seen.set(key, others);
      });
    });
  }
  return warnings;
}

function relationOf(port: SeenPort, other: SeenPort): string | undefined {
  const isSamePort = port.hostPort === other.hostPort;
  if (isSamePort && port.hostIP === other.hostIP) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  return isSamePort && (port.hostIP === '') !== (other.hostIP === '') ? 'dangerously ambiguous' : undefined;
}

interface Amounts {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
}

function fractionWarnings(
  amounts: Amounts | undefined,
  path: FieldPath,
  names: readonly string[],
): readonly string[] {
  return names.flatMap((name) =>
    (['limits', 'requests'] as const).flatMap((list) =>
      fractionWarning(amounts?.[list]?.[name], path.child(list).key(name)),
    ),
  );
}

const fractionWarning = (amount: string | undefined, path: FieldPath): readonly string[] =>
  amount === undefined || isInteger(amount)
    ? []
    : [`${path.text}: fractional byte value "${amount}" is invalid, must be an integer`];

const overheadWarnings = ({ overhead = {} }: PodSpec, path: FieldPath): readonly string[] =>
  ['memory', 'ephemeral-storage'].flatMap((name) =>
    fractionWarning(overhead[name], path.child('overhead').key(name)),
  );

function graceWarnings(
  { terminationGracePeriodSeconds: seconds }: PodSpec,
  path: FieldPath,
): readonly string[] {
  if (seconds === undefined || seconds >= 0) return [];
  const own = path.child('terminationGracePeriodSeconds').text;
  return [`${own}: must be >= 0; negative values are invalid and will be treated as 1`];
}

function affinityWarnings({ affinity }: PodSpec, path: FieldPath): readonly string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => {
    const own = path.child('affinity', kind);
    const required = affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms: (readonly [PodAffinityTerm, FieldPath])[] = [
      ...required.map((term, at) => [term, own.child(REQUIRED).index(at)] as const),
      ...preferred.map(
        ({ podAffinityTerm }, at) =>
          [podAffinityTerm, own.child(PREFERRED).index(at).child('podAffinityTerm')] as const,
      ),
    ];
    return terms
      .filter(([term]) => !term.labelSelector)
      .map(([, place]) => `${place.child('labelSelector').text}: ${NO_SELECTOR}`);
  });
}
