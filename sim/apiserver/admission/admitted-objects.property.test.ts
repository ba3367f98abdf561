/**
 * What a server makes of pods and claims while classes, accounts, limits, levels, quotas and namespaces come, change and go
 * in any order: what is admitted says what they say by then, what breaks a rule is refused and leaves nothing behind, a dry
 * run is answered the same and changes nothing, and who was admitted once may be changed later, whatever they say then.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { LimitRange, Namespace, Pod, PodSpec, ResourceQuota } from '../../api/types/core-v1.ts';
import type { PriorityClass } from '../../api/types/scheduling-k8s-io-v1.ts';
import { isForbidden, isNotFound } from '../../client/api-failure.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const SPACE = 'team';
const PRIORITIES = { low: 10, high: 1_000, usual: 500 } as const;
type PriorityName = keyof typeof PRIORITIES;
const ACCOUNTS = ['default', 'bot'] as const;
const CLASSES = ['fast', 'slow'] as const;
const RANGES = ['l', 'm'] as const;
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const TOKEN = 'kube-api-access-';
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;
const SIZE_GI = 2;

type Outcome = 'admitted' | 'refused' | 'nowhere';
type Level = 'baseline' | 'restricted' | null;

interface Limits {
  readonly usual: string;
  readonly most: string;
}

interface Wish {
  readonly priorityClassName: PriorityName | '';
  readonly account: (typeof ACCOUNTS)[number] | '';
  readonly automount: boolean | null;
  readonly cpu: string | null;
  readonly kind: 'plain' | 'host' | 'safe';
}

class World {
  readonly cluster = createCluster({ controllers: ['namespace-controller'], scheduler: false });

  constructor() {
    this.space(true);
    for (const name of ACCOUNTS) this.account(name, null, []);
    this.cluster.advance(seconds(1));
  }

  #all(directory: string): readonly ApiObject[] {
    const { entries } = this.cluster.storage.range({ prefix: `/registry/${directory}/` });
    return entries.map(({ value }) => this.cluster.inOneForm(value));
  }

  #find(directory: string, name: string): ApiObject | undefined {
    return this.#all(directory).find(({ metadata }) => metadata.name === name);
  }

  get #space(): Namespace | undefined {
    return this.#find('namespaces', SPACE);
  }

  space(isThere: boolean): void {
    const { namespaces } = this.cluster.client;
    tryTo(() => (isThere ? namespaces.create({ metadata: { name: SPACE } }) : namespaces.delete(SPACE)));
  }

  /** Somebody keeps it from going, or lets it go. */
  hold(isHeld: boolean): void {
    const body = { metadata: { finalizers: isHeld ? ['example.com/held'] : null } };
    tryTo(() => this.cluster.client.namespaces.patch(SPACE, { type: 'merge', body }));
  }

  get #classes(): readonly PriorityClass[] {
    return this.#all('priorityclasses') as readonly PriorityClass[];
  }

  level(level: Level): void {
    const body = { metadata: { labels: { [ENFORCE]: level } } };
    tryTo(() => this.cluster.client.namespaces.patch(SPACE, { type: 'merge', body }));
  }

  priority(name: PriorityName, globalDefault: boolean | null): void {
    const { priorityClasses } = this.cluster.client;
    const others = this.#classes.filter((each) => each.globalDefault === true && each.metadata.name !== name);
    const present = this.#find('priorityclasses', name);
    const outcome = this.#outcome(() => {
      if (globalDefault === null) {
        if (present) priorityClasses.delete(name);
      } else if (present) priorityClasses.patch(name, { type: 'merge', body: { globalDefault } });
      else priorityClasses.create({ metadata: { name }, value: PRIORITIES[name], globalDefault });
    });
    const isSecond = globalDefault === true && others.length > 0;
    expect(outcome, `a default beside ${others.length}`).toBe(isSecond ? 'refused' : 'admitted');
  }

  account(name: string, automount: boolean | null, secrets: readonly string[] | null): void {
    const { serviceAccounts } = this.cluster.client;
    const key = { namespace: SPACE, name };
    tryTo(() => serviceAccounts.delete(key));
    if (secrets === null) return;
    tryTo(() =>
      serviceAccounts.create({
        metadata: key,
        ...(automount !== null && { automountServiceAccountToken: automount }),
        imagePullSecrets: secrets.map((each) => ({ name: each })),
      }),
    );
  }

  limit(name: string, limits: Limits | null): void {
    const { limitRanges } = this.cluster.client;
    const key = { namespace: SPACE, name };
    tryTo(() => limitRanges.delete(key));
    if (limits === null) return;
    const { usual, most } = limits;
    const ofContainers = { default: { cpu: usual }, defaultRequest: { cpu: usual }, max: { cpu: most } };
    const ofClaims = { max: { storage: `${most}Gi` } };
    tryTo(() =>
      limitRanges.create({
        metadata: key,
        spec: {
          limits: [
            { type: 'Container', ...ofContainers },
            { type: 'PersistentVolumeClaim', ...ofClaims },
          ],
        },
      }),
    );
  }

  storageClass(name: string, mark: 'true' | 'false' | null): void {
    const { storageClasses } = this.cluster.client;
    const annotations = { [IS_DEFAULT]: mark };
    if (mark === null) tryTo(() => storageClasses.delete(name));
    else if (this.#find('storageclasses', name))
      tryTo(() => storageClasses.patch(name, { type: 'merge', body: { metadata: { annotations } } }));
    else
      tryTo(() =>
        storageClasses.create({ metadata: { name, annotations: { [IS_DEFAULT]: mark } }, provisioner: 'x' }),
      );
  }

  /** Of those that come together the first name counts. */
  storageClassLater(name: string, mark: 'true' | 'false' | null): void {
    this.cluster.advance(seconds(1));
    this.storageClass(name, mark);
    this.claim(1);
  }

  quota(most: number | null): void {
    const { resourceQuotas } = this.cluster.client;
    const key = { namespace: SPACE, name: 'q' };
    tryTo(() => resourceQuotas.delete(key));
    if (most === null) return;
    const hard = { configmaps: String(most) };
    tryTo(() => resourceQuotas.create({ metadata: key, spec: { hard } }));
    const body = { status: { hard, used: { configmaps: '0' } } };
    tryTo(() => resourceQuotas.patch(key, { type: 'merge', body }, { subresource: 'status' }));
  }

  /** What is counted is counted once, and by nobody else than by who stays. */
  config(isDryRun: boolean, isTwice: boolean): void {
    const before = this.#quota;
    const expected = this.#isOpen ?? (before && before.used >= before.hard ? 'refused' : 'admitted');
    const { configMaps } = this.cluster.client;
    const key = { namespace: SPACE, name: 'c' };
    tryTo(() => configMaps.delete(key));
    const outcome = this.#outcome(() => configMaps.create({ metadata: key }, { isDryRun }));
    expect(outcome, `a map beside ${JSON.stringify(before)}`).toBe(expected);
    const isKept = outcome === 'admitted' && !isDryRun;
    if (before) expect(this.#quota?.used, 'what a quota counts').toBe(before.used + Number(isKept));
    if (isKept && isTwice) {
      configMaps.patch(key, { type: 'merge', body: { data: { a: 'b' } } });
      if (before) expect(this.#quota?.used, 'what a quota counts after a change').toBe(before.used + 1);
    }
  }

  get #quota(): { readonly used: number; readonly hard: number } | undefined {
    const quota: ResourceQuota | undefined = this.#find(`resourcequotas/${SPACE}`, 'q');
    const { status } = quota ?? {};
    const [used, hard] = [status?.used?.['configmaps'], status?.hard?.['configmaps']];
    return used === undefined || hard === undefined ? undefined : { used: Number(used), hard: Number(hard) };
  }

  /** Undefined: it takes what comes. */
  get #isOpen(): 'nowhere' | 'refused' | undefined {
    if (!this.#space) return 'nowhere';
    return this.#space.metadata.deletionTimestamp === undefined ? undefined : 'refused';
  }

  #outcome(write: () => unknown): Outcome {
    try {
      write();
      return 'admitted';
    } catch (error) {
      if (isForbidden(error)) return 'refused';
      if (isNotFound(error)) return 'nowhere';
      throw error;
    }
  }

  claim(gigabytes: number): void {
    const { persistentVolumeClaims } = this.cluster.client;
    const key = { namespace: SPACE, name: 'd' };
    const most = Math.min(
      ...this.#ranges.map(({ spec }) =>
        Number.parseInt(ofType(spec, 'PersistentVolumeClaim')?.max?.['storage'] as string, 10),
      ),
    );
    const expected = this.#isOpen ?? (gigabytes > most ? 'refused' : 'admitted');
    let made;
    const outcome = this.#outcome(() => {
      made = persistentVolumeClaims.create(
        {
          metadata: key,
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: `${gigabytes}Gi` } },
          },
        },
        { isDryRun: true },
      );
    });
    expect(outcome, `a claim for ${gigabytes} of ${most}`).toBe(expected);
    if (outcome !== 'admitted') return;
    expect(made).toMatchObject({ metadata: { finalizers: ['kubernetes.io/pvc-protection'] } });
    const [newest] = this.#all('storageclasses')
      .filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true')
      .toSorted((one, other) => bornMs(other) - bornMs(one));
    expect((made as unknown as { spec: object }).spec).toEqual(
      newest
        ? expect.objectContaining({ storageClassName: newest.metadata.name })
        : expect.not.objectContaining({ storageClassName: expect.anything() as unknown }),
    );
  }

  get #ranges(): readonly LimitRange[] {
    return this.#all(`limitranges/${SPACE}`);
  }

  /** A pod comes, and is changed once it is there. */
  pod(wish: Wish, isDryRun: boolean): void {
    const { pods } = this.cluster.client;
    const key = { namespace: SPACE, name: 'p' };
    tryTo(() => pods.delete(key, { gracePeriodSeconds: 0 }));
    const expected = this.#isOpen ?? (this.#problem(wish) === undefined ? 'admitted' : 'refused');
    let made: Pod | undefined;
    const outcome = this.#outcome(() => {
      made = pods.create({ metadata: key, spec: specOf(wish) }, { isDryRun });
    });
    expect(outcome, `${JSON.stringify(wish)}: ${this.#problem(wish) ?? 'may come'}`).toBe(expected);
    const kept = this.#find(`pods/${SPACE}`, 'p');
    expect(kept !== undefined, 'whether it is there').toBe(outcome === 'admitted' && !isDryRun);
    if (made) this.#expectSaid(made, wish);
  }

  /** Why a pod may not come. */
  #problem({ priorityClassName, account, cpu, kind }: Wish): string | undefined {
    if (priorityClassName !== '' && !this.#find('priorityclasses', priorityClassName)) return 'no such class';
    if (!this.#find(`serviceaccounts/${SPACE}`, account || 'default')) return 'no such account';
    const level = this.#space?.metadata.labels?.[ENFORCE];
    if (level !== undefined && kind === 'host') return 'it uses the network of its node';
    if (level === 'restricted' && kind !== 'safe') return 'it is not restricted';
    const asked = cpu ?? this.#usualCpu;
    const most = Math.min(...this.#ranges.map(({ spec }) => Number(ofType(spec, 'Container')?.max?.['cpu'])));
    if (this.#ranges.length > 0 && (asked === undefined || Number(asked) > most)) return 'too much';
    return undefined;
  }

  get #usualCpu(): string | undefined {
    const [first] = this.#ranges;
    return ofType(first?.spec, 'Container')?.default?.['cpu'];
  }

  #expectSaid({ spec }: Pod, wish: Wish): void {
    const classes = this.#classes;
    const usual = classes.find(({ globalDefault }) => globalDefault === true);
    const name = wish.priorityClassName === '' ? usual?.metadata.name : wish.priorityClassName;
    expect(spec?.priorityClassName).toBe(name);
    expect(spec?.priority).toBe(name === undefined ? 0 : PRIORITIES[name as PriorityName]);
    const { automountServiceAccountToken: automount, imagePullSecrets = [] } = this.#find(
      `serviceaccounts/${SPACE}`,
      wish.account || 'default',
    ) as Account;
    const hasToken = (spec?.volumes ?? []).some((each) => each.name.startsWith(TOKEN));
    expect(hasToken, 'a token').toBe(wish.automount ?? automount ?? true);
    expect(spec?.imagePullSecrets ?? []).toEqual(imagePullSecrets);
    const cpu = wish.cpu ?? this.#usualCpu;
    expect(spec?.containers[0]?.resources).toEqual(
      cpu === undefined ? {} : { requests: { cpu }, limits: { cpu } },
    );
    this.#expectTolerations(spec);
  }

  #expectTolerations(spec: PodSpec | undefined): void {
    expect((spec?.tolerations ?? []).map(({ key, tolerationSeconds }) => [key, tolerationSeconds])).toEqual(
      TAINTS.map((key) => [key, 300]),
    );
  }

  /** Whoever is there may be written again as he was sent, with other labels, whatever is asked of new ones by now. */
  changeAmid(wish: Wish, level: Level): void {
    this.level(null);
    this.pod(wish, false);
    this.level(level);
    for (const label of ['x', 'y']) this.change(label);
  }

  change(label: string): void {
    const { pods } = this.cluster.client;
    const present = pods.list({ namespace: SPACE }).items.find(({ metadata }) => metadata.name === 'p');
    if (!present?.spec) return;
    const { priority: _p, preemptionPolicy: _q, tolerations: _t, ...spec } = present.spec;
    const { priority, preemptionPolicy } = present.spec;
    const metadata = { ...present.metadata, labels: { label } };
    const tolerations = present.spec.tolerations ?? [];
    const made = pods.update({ ...present, metadata, spec: { ...spec, tolerations } });
    expect(made.spec).toMatchObject({ priority, preemptionPolicy, tolerations });
    this.#expectTolerations(made.spec);
  }
}

type Account = ApiObject & {
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly object[];
};

const ofType = (spec: LimitRange['spec'], type: string) => spec?.limits.find((each) => each.type === type);

/** In whole seconds. */
const bornMs = ({ metadata }: ApiObject): number => Date.parse(metadata.creationTimestamp ?? '');

function specOf({ priorityClassName, account, automount, cpu, kind }: Wish): PodSpec {
  const amounts = cpu === null ? {} : { resources: { requests: { cpu }, limits: { cpu } } };
  const safe = {
    ...{ allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
    seccompProfile: { type: 'RuntimeDefault' as const },
  };
  return {
    ...(priorityClassName !== '' && { priorityClassName }),
    ...(account !== '' && { serviceAccountName: account }),
    ...(automount !== null && { automountServiceAccountToken: automount }),
    ...(kind === 'host' && { hostNetwork: true }),
    containers: [{ name: 'c', image: 'i', ...amounts, ...(kind === 'safe' && { securityContext: safe }) }],
  };
}

const act = actsOn<World>();
const wish: fc.Arbitrary<Wish> = fc.record({
  priorityClassName: fc.constantFrom<Wish['priorityClassName'][]>('', '', '', 'low', 'high'),
  account: fc.constantFrom<Wish['account'][]>('', 'default', 'bot'),
  automount: fc.constantFrom(null, null, true, false),
  cpu: fc.constantFrom(null, null, '1', '3'),
  kind: fc.constantFrom('plain', 'host', 'safe', 'safe'),
});
const priorityName = fc.constantFrom<PriorityName[]>('low', 'high', 'usual');
const flag = fc.constantFrom(true, false, null);

it('say what the rules of the moment say', () => {
  const pod = act('pod', fc.tuple(wish, fc.constantFrom(false, false, true)), (world, drawn) =>
    world.pod(...drawn),
  );
  const config = act('config', fc.tuple(fc.boolean(), fc.boolean()), (world, drawn) =>
    world.config(...drawn),
  );
  const account = act(
    'account',
    fc.tuple(
      fc.constantFrom(...ACCOUNTS, 'default'),
      flag,
      fc.constantFrom<(readonly string[] | null)[]>([], ['s'], ['s', 't'], null),
    ),
    (world, drawn) => world.account(...drawn),
  );
  const limit = act(
    'limit',
    fc.tuple(
      fc.constantFrom(...RANGES),
      fc.option(fc.record({ usual: fc.constantFrom('1', '2'), most: fc.constantFrom('1', '2', '3') })),
    ),
    (world, drawn) => world.limit(...drawn),
  );
  const claim = act('claim', fc.constantFrom(1, SIZE_GI, 4), (world, size) => world.claim(size));
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pod, pod, pod, config, config, account, account, limit, limit, limit, claim, claim],
      act('change amid', fc.tuple(wish, fc.constantFrom<Level[]>('baseline', 'restricted')), (world, drawn) =>
        world.changeAmid(...drawn),
      ),
      act('change', fc.constantFrom('x', 'y'), (world, label) => world.change(label)),
      act('priority', fc.tuple(priorityName, flag), (world, drawn) => world.priority(...drawn)),
      act(
        'priorities',
        fc.array(fc.tuple(priorityName, flag), { minLength: 3, maxLength: 6, size: 'max' }),
        (world, all) => all.forEach((drawn) => world.priority(...drawn)),
      ),
      act(
        'storage class',
        fc.tuple(
          fc.constantFrom(...CLASSES),
          fc.constantFrom<('true' | 'false' | null)[]>('true', 'true', 'false', null),
        ),
        (world, drawn) => world.storageClassLater(...drawn),
      ),
      act('level', fc.constantFrom<Level[]>('baseline', 'restricted', null, null), (world, level) =>
        world.level(level),
      ),
      act('quota', fc.constantFrom(0, 1, 2, 3, null), (world, most) => world.quota(most)),
      act('hold', fc.boolean(), (world, isHeld) => world.hold(isHeld)),
      act('space goes', NOTHING, (world) => world.space(false)),
      act('space comes', NOTHING, (world) => world.space(true)),
      act('space comes', NOTHING, (world) => world.space(true)),
      act('pass', fc.constantFrom(1, 1, 12), ({ cluster }, span) => cluster.advance(seconds(span))),
    ],
    compare: () => undefined,
    most: 40,
    runs: 40,
    hasSomeOnly: true,
  });
});
