/**
 * The pod security standards for any pod, level and release, beside a plain reading of their table ("Pod Security
 * Standards"): which controls a pod breaks, in order, and which of its containers do; and what labels of namespaces,
 * changes of pods and pods that are there mean to them ("Pod Security Admission").
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Container, Pod, PodSpec, Volume } from '../../../api/types/core-v1.ts';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { checkedPod } from './check.ts';
import { reasonsText, violationsOf } from './evaluate.ts';
import { warningsOfExisting } from './existing-pods.ts';
import { isSame, isStricter, type Level, policyOf, textOf } from './policy.ts';
import { isSignificantUpdate } from './significant-update.ts';

const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const MINORS = [0, 7, 8, 18, 19, 22, 23, 24, 25, 27, 29, 30, 31, 99, Infinity];
const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_OF = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR_OF = 'container.apparmor.security.beta.kubernetes.io/';

/** Mostly nothing. */
const seldom = <Value>(...values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...values) },
  );
/** Mostly the first. */
const mostly = <Value>(usual: Value, ...values: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...values) },
  );
const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const container = (name: string): fc.Arbitrary<Container> =>
  fc
    .record({
      allowPrivilegeEscalation: mostly(false, undefined, true),
      privileged: seldom(true, false),
      procMount: seldom('Default', 'Unmasked'),
      runAsNonRoot: seldom(true, false),
      runAsUser: seldom(0, 1_000),
      capabilities: mostly<object | undefined>(
        { drop: ['ALL'] },
        ...[
          undefined,
          { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
          { add: ['CHOWN'] },
          { drop: ['KILL'], add: ['BPF'] },
        ],
      ),
      seccompProfile: seldom({ type: 'RuntimeDefault' }, { type: 'Localhost' }, { type: 'Unconfined' }),
      appArmorProfile: seldom({ type: 'RuntimeDefault' }, { type: 'Unconfined' }),
      seLinuxOptions: seldom<object>(
        { type: 'container_t' },
        { type: 'container_engine_t' },
        { type: 'spc_t' },
        { user: 'u' },
      ),
      windowsOptions: seldom({ hostProcess: true }, { hostProcess: false }),
      hostPort: seldom(0, 80),
    })
    .map(({ hostPort, ...securityContext }) => ({
      ...{ name, image: 'i', securityContext: given(securityContext) },
      ...(hostPort !== undefined && { ports: [{ containerPort: 1, hostPort }] }),
    }));

const VOLUMES: readonly Volume[] = [
  { name: 'v', emptyDir: {} },
  { name: 'c', configMap: { name: 'm' } },
  { name: 'h', hostPath: { path: '/' } },
  { name: 'n', nfs: { server: 's', path: '/' } },
];
const SAFE_SYSCTLS: readonly (readonly [name: string, since: number])[] = [
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['kernel.msgmax', NaN],
];

const spec: fc.Arbitrary<PodSpec> = fc
  .record({
    os: seldom({ name: 'windows' }, { name: 'linux' }),
    hostPID: seldom(true, false),
    hostNetwork: seldom(true),
    volumes: fc.subarray([...VOLUMES], { maxLength: 2 }),
    securityContext: fc
      .record({
        runAsNonRoot: mostly<boolean | undefined>(true, undefined, false),
        runAsUser: seldom(0, 5),
        seccompProfile: mostly<object | undefined>({ type: 'RuntimeDefault' }, undefined, {
          type: 'Unconfined',
        }),
        appArmorProfile: seldom({ type: 'Localhost' }, { type: 'Unconfined' }),
        seLinuxOptions: seldom<object>({ type: 'container_kvm_t' }, { role: 'r' }),
        windowsOptions: seldom({ hostProcess: true }),
        sysctls: fc
          .subarray([...SAFE_SYSCTLS], { maxLength: 1 })
          .map((all) => all.map(([name]) => ({ name, value: '1' }))),
      })
      .map(given),
    containers: fc.tuple(container('c')),
    initContainers: fc.option(fc.tuple(container('i')), { nil: undefined }),
    ephemeralContainers: fc.option(fc.tuple(container('e')), { nil: undefined }),
  })
  .map((drawn) => given(drawn) as unknown as PodSpec);
const annotations = fc
  .record({
    [SECCOMP_OF_POD]: seldom('runtime/default', 'unconfined'),
    [`${SECCOMP_OF}c`]: seldom('localhost/x', 'unconfined'),
    [`${SECCOMP_OF}other`]: seldom('unconfined'),
    [`${APP_ARMOR_OF}c`]: seldom('runtime/default', 'unconfined', 'localhost/x'),
  })
  .map((drawn) => given(drawn) as Readonly<Record<string, string>>);

interface Finding {
  readonly reason: string;
  /** Containers that break the control. */
  readonly by?: readonly string[];
}

/** What is broken, in the order of the table's controls by their names: those of the baseline, then the others. */
function brokenBy(
  pod: PodSpec,
  notes: Readonly<Record<string, string>>,
  level: Level,
  minor: number,
): readonly Finding[] {
  if (level === 'privileged') return [];
  const all = [
    ...(pod.initContainers ?? []),
    ...pod.containers,
    ...((pod.ephemeralContainers ?? []) as Container[]),
  ];
  const own = pod.securityContext ?? {};
  const isRestricted = level === 'restricted';
  const sparesWindows = minor >= 25 && pod.os?.name === 'windows';
  const findings: Finding[] = [];
  type Context = NonNullable<Container['securityContext']>;
  const check = (
    reason: string,
    isBroken: boolean,
    breaks: (context: Context, each: Container) => boolean = () => false,
  ): void => {
    const by = all.filter((each) => breaks(each.securityContext ?? {}, each)).map(({ name }) => name ?? '');
    if (isBroken || by.length > 0) findings.push({ reason, by });
  };
  const isWrongProfile = (profile: { readonly type: string } | undefined): boolean =>
    profile?.type === 'Unconfined';
  const engine = minor >= 31 ? [] : ['container_engine_t'];
  const isWrongLabel = (options: Context['seLinuxOptions']): boolean =>
    options !== undefined &&
    (Boolean(options.user ?? options.role) || ['spc_t', ...engine].includes(options.type ?? ''));
  const adds = ({ capabilities }: Context, ...bad: string[]): boolean =>
    capabilities?.add?.some((each) => bad.includes(each)) === true;

  const wrongNotes = Object.entries(notes)
    .filter(([, text]) => text === 'unconfined')
    .map(([key]) => key);
  const armour = wrongNotes.filter((key) => key.startsWith(APP_ARMOR_OF)).length;
  const isCounted = (key: string): boolean =>
    key === SECCOMP_OF_POD || all.some(({ name }) => key === `${SECCOMP_OF}${name ?? ''}`);

  const isArmed = armour > 0 || isWrongProfile(own.appArmorProfile);
  const forbidden = 'forbidden AppArmor profile';
  const values = new Set(
    [own, ...all.map(({ securityContext = {} }) => securityContext)].flatMap(({ appArmorProfile }) =>
      isWrongProfile(appArmorProfile) ? ['Unconfined'] : [],
    ),
  ).size;
  check(values + armour === 1 ? forbidden : `${forbidden}s`, isArmed, ({ appArmorProfile }) =>
    isWrongProfile(appArmorProfile),
  );
  if (!isRestricted || minor < 22)
    check('non-default capabilities', false, (context) => adds(context, 'BPF'));
  check('host namespaces', pod.hostPID === true || pod.hostNetwork === true);
  const has = (...names: string[]): boolean => (pod.volumes ?? []).some(({ name }) => names.includes(name));
  if (!isRestricted) check('hostPath volumes', has('h'));
  check('hostPort', false, (_, { ports }) => ports?.some(({ hostPort }) => hostPort === 80) === true);
  check('privileged', false, ({ privileged }) => privileged === true);
  check('procMount', false, ({ procMount }) => procMount === 'Unmasked');
  check('seLinuxOptions', isWrongLabel(own.seLinuxOptions), ({ seLinuxOptions }) =>
    isWrongLabel(seLinuxOptions),
  );
  if (minor < 19) check('seccompProfile', wrongNotes.some(isCounted));
  else if (!isRestricted)
    check('seccompProfile', isWrongProfile(own.seccompProfile), ({ seccompProfile }) =>
      isWrongProfile(seccompProfile),
    );
  const isSafe = (name: string): boolean =>
    SAFE_SYSCTLS.some(([safe, since]) => safe === name && minor >= since);
  check('forbidden sysctls', own.sysctls?.some(({ name }) => !isSafe(name)) === true);
  const isOfHost = ({ windowsOptions }: Context | typeof own): boolean =>
    windowsOptions?.hostProcess === true;
  check('hostProcess', isOfHost(own), isOfHost);
  if (!isRestricted) return findings;

  if (minor >= 8 && !sparesWindows)
    check(
      'allowPrivilegeEscalation != false',
      false,
      (context) => context.allowPrivilegeEscalation !== false,
    );
  if (minor >= 22 && !sparesWindows)
    check(
      'unrestricted capabilities',
      false,
      (context) => adds(context, 'BPF', 'CHOWN') || context.capabilities?.drop?.includes('ALL') !== true,
    );
  check('restricted volume types', has('h', 'n'));
  const saysNo = all.some(({ securityContext }) => securityContext?.runAsNonRoot === false);
  // Whoever says that it does is told first; who says nothing counts where the pod says nothing either.
  if (saysNo || own.runAsNonRoot === false)
    check('runAsNonRoot != true', true, ({ runAsNonRoot }) => runAsNonRoot === false);
  else if (own.runAsNonRoot !== true)
    check('runAsNonRoot != true', false, ({ runAsNonRoot }) => runAsNonRoot === undefined);
  if (minor >= 23) check('runAsUser=0', own.runAsUser === 0, ({ runAsUser }) => runAsUser === 0);
  if (minor < 19 || sparesWindows) return findings;
  const areWrong = all.some(({ securityContext }) => isWrongProfile(securityContext?.seccompProfile));
  if (areWrong || isWrongProfile(own.seccompProfile))
    check('seccompProfile', true, ({ seccompProfile }) => isWrongProfile(seccompProfile));
  else if (!own.seccompProfile) check('seccompProfile', false, ({ seccompProfile }) => !seccompProfile);
  return findings;
}

it('finds the controls that a pod breaks in a release, and the containers that do', () => {
  fc.assert(
    fc.property(
      spec,
      annotations,
      fc.constantFrom(...LEVELS),
      fc.constantFrom(...MINORS),
      (pod, notes, level, minor) => {
        const found = violationsOf(checkedPod(notes, pod), { level, minor });
        const expected = brokenBy(pod, notes, level, minor);
        expect(found.map(({ reason }) => reason)).toEqual(expected.map(({ reason }) => reason));
        expected.forEach(({ by = [] }, at) => {
          const { detail = '' } = found[at] ?? {};
          const named = /containers? ((?:"[a-z]"(?:, )?)+)/g;
          const names = [...detail.matchAll(named)].flatMap(([, list = '']) => list.match(/[a-z]/g) ?? []);
          expect([...new Set(names)].sort(), detail).toEqual([...by].sort());
        });
      },
    ),
    asOftenAs(400),
  );
});

const LABEL = 'pod-security.kubernetes.io/';
const MODES = ['enforce', 'audit', 'warn'] as const;

it('reads what a namespace asks for off its labels', () => {
  const level = fc.option(fc.constantFrom(...LEVELS, 'strict'), { nil: undefined });
  const version = fc.option(fc.constantFrom('latest', 'v1.0', 'v1.25', 'v1.99', 'v1.01', '1.25', 'v2.0'), {
    nil: undefined,
  });
  const labels = fc.record(
    Object.fromEntries(
      MODES.flatMap((mode) => [
        [`${LABEL}${mode}`, level],
        [`${LABEL}${mode}-version`, version],
      ]),
    ),
  );
  fc.assert(
    fc.property(labels, (drawn) => {
      const texts = given(drawn) as Record<string, string>;
      const isGoodVersion = (text: string): boolean => text === 'latest' || /^v1\.(0|[1-9]\d*)$/.test(text);
      const wrong = MODES.flatMap((mode) => {
        const [ofLevel, ofVersion] = [texts[LABEL + mode], texts[`${LABEL}${mode}-version`]];
        return [
          ...(ofLevel !== undefined && !LEVELS.some((each) => each === ofLevel) ? [mode] : []),
          ...(ofVersion !== undefined && !isGoodVersion(ofVersion) ? [`${mode}-version`] : []),
        ];
      });
      const shown = (mode: (typeof MODES)[number], otherwise: string): string => {
        const [name = '', release = ''] = otherwise.split(' ');
        const ofLevel = texts[LABEL + mode] ?? name;
        const strictest = mode === 'enforce' ? 'restricted' : 'privileged';
        const ofVersion = texts[`${LABEL}${mode}-version`] ?? release;
        return `${ofLevel === 'strict' ? strictest : ofLevel}:${isGoodVersion(ofVersion) ? ofVersion : 'latest'}`;
      };
      const enforced = shown('enforce', 'privileged latest');
      const isToldToo =
        ![undefined, 'strict'].includes(texts[`${LABEL}enforce`]) && texts[`${LABEL}warn`] === undefined;
      const { policy, errors } = policyOf(texts);
      expect(errors.map(({ field }) => field)).toEqual(
        wrong.map((name) => `metadata.labels[${LABEL}${name}]`),
      );
      expect(MODES.map((mode) => textOf(policy[mode]))).toEqual([
        enforced,
        shown('audit', 'privileged latest'),
        shown('warn', isToldToo ? enforced.replace(':', ' ') : 'privileged latest'),
      ]);
      for (const mode of MODES) expect(isSame(policy[mode], { ...policy[mode] })).toBe(true);
      expect(isStricter(policy.enforce.level, policy.warn.level)).toBe(
        LEVELS.indexOf(policy.enforce.level) > LEVELS.indexOf(policy.warn.level),
      );
    }),
    asOftenAs(150),
  );
});

const named = (names: readonly string[]): fc.Arbitrary<Container[]> =>
  fc
    .subarray([...names])
    .chain((some) =>
      fc.tuple(...some.map((name) => fc.constantFrom({ name, image: 'a' }, { name, image: 'b' }))),
    );
const changedPod: fc.Arbitrary<Pod> = fc
  .record({
    containers: named(['c', 'd']),
    initContainers: named(['i']),
    ephemeralContainers: fc
      .tuple(named(['e', 'f', 'g']), fc.boolean())
      .map(([all, turned]) => (turned ? all.toReversed() : all)),
    annotations: annotations.map((all) => given({ ...all, [SECCOMP_OF_POD]: undefined })),
    pod: seldom('unconfined', ''),
    activeDeadlineSeconds: seldom(5),
  })
  .map(({ annotations: others, pod, activeDeadlineSeconds, ...containers }) => ({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { annotations: given({ ...others, [SECCOMP_OF_POD]: pod }) as Record<string, string> },
    spec: { ...containers, ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }) } as PodSpec,
  }));

it('looks at pods again whose images, seccomp annotations or new ephemeral containers are others', () => {
  fc.assert(
    fc.property(changedPod, changedPod, fc.boolean(), (drawn, old, isNear) => {
      // Two pods that are drawn for themselves have hardly anything in common.
      const pod: Pod = isNear
        ? {
            ...drawn,
            metadata: old.metadata,
            spec: {
              ...drawn.spec,
              containers: old.spec?.containers ?? [],
              initContainers: old.spec?.initContainers ?? [],
            },
          }
        : drawn;
      const shown = (
        { metadata, spec: own }: Pod,
        kind: 'containers' | 'initContainers' | 'ephemeralContainers',
      ) =>
        ((own?.[kind] ?? []) as Container[]).map(({ name = '', image = '' }) => ({
          name,
          text: `${image} ${metadata.annotations?.[SECCOMP_OF + name] ?? ''}`,
        }));
      const of = ({ metadata }: Pod): string => metadata.annotations?.[SECCOMP_OF_POD] ?? '';
      const isOther = (kind: 'containers' | 'initContainers'): boolean => {
        const texts = (one: Pod): readonly string[] => shown(one, kind).map(({ text }) => text);
        // A container goes by its place; its annotation, by its name now.
        const before = shown(old, kind).map(({ text }, at) => {
          const name = shown(pod, kind)[at]?.name ?? '';
          return `${text.split(' ')[0] ?? ''} ${old.metadata.annotations?.[SECCOMP_OF + name] ?? ''}`;
        });
        return texts(pod).join() !== before.join();
      };
      const known = shown(old, 'ephemeralContainers');
      const isNew = shown(pod, 'ephemeralContainers').some(
        ({ name, text }) => !known.some((each) => each.name === name && each.text === text),
      );
      expect(isSignificantUpdate(pod, old)).toBe(
        of(pod) !== of(old) || isOther('containers') || isOther('initContainers') || isNew,
      );
    }),
    asOftenAs(300),
  );
});

it('warns once of all pods that break the same controls, by the first of them', () => {
  const pods = fc.array(
    fc.record({
      spec: fc.oneof(spec, fc.constantFrom<PodSpec>({ containers: [], hostPID: true })),
      owner: seldom('x', 'y'),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(pods, fc.constantFrom(...LEVELS), fc.constantFrom(...MINORS), (all, level, minor) => {
      const owned = ({ owner }: { readonly owner: string | undefined }) =>
        owner === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: owner, uid: owner, controller: true }] };
      const existing = all.map((each, at): Pod => ({
        ...{ apiVersion: 'v1', kind: 'Pod', spec: each.spec },
        metadata: { name: `p${at}`, ...owned(each) },
      }));
      // Of each owner one pod goes before the others.
      const isLater = (at: number): boolean =>
        all[at]?.owner !== undefined && all.findIndex(({ owner }) => owner === all[at]?.owner) < at;
      const order = all
        .map((_, at) => at)
        .sort((one, other) => Number(isLater(one)) - Number(isLater(other)) || one - other);
      const reasons = all.map((each) =>
        reasonsText(violationsOf(checkedPod({}, each.spec), { level, minor })),
      );
      const lines = [...new Set(reasons.filter((text) => text !== ''))].map((text) => {
        const [first = 0, ...others] = order.filter((at) => reasons[at] === text);
        const more =
          others.length === 0 ? '' : ` (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
        return `p${first}${more}: ${text}`;
      });
      const head = `existing pods in namespace "n" violate the new PodSecurity enforce level "${textOf({ level, minor })}"`;
      expect(warningsOfExisting('n', existing, { level, minor })).toEqual(
        lines.length === 0 ? [] : [head, ...lines.sort()],
      );
    }),
    asOftenAs(100),
  );
});
