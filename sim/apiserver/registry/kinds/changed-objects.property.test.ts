/**
 * What writes may change, of many kinds: an object is replaced and merged, as a whole and through its status, in any order,
 * each time with another spec, status, labels and annotations at once. The spec follows the writes of the object and the status
 * those of the status; a generation is counted for each change of the spec and for no other; what asks for nothing new
 * changes nothing, and a dry run tells what would be and changes nothing either.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../../engine/any-order.arbitrary.ts';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

type Members = Readonly<Record<string, unknown>>;

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly isClusterWide?: boolean;
  /** Of what is the same in all of its specs. */
  readonly base: Members;
  /** Of what an update may change, all of it each time. */
  readonly specs: readonly Members[];
  /** Of which of them the template is another. */
  readonly templates?: readonly number[];
  readonly statuses: readonly Members[];
  /** Whoever makes one tells its status. */
  readonly isMadeWithStatus?: boolean;
  readonly hasGeneration: boolean;
  readonly annotationsCount?: boolean;
  /** The server gives it labels, annotations or taints that whoever replaces it without them takes away for a moment. */
  readonly isFilledIn?: boolean;
  /** Whoever writes the status changes no labels. */
  readonly statusKeepsLabels?: boolean;
}

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const pod = (image: string) => ({ containers: [{ name: 'c', image }] });
const template = (image: string) => ({ metadata: { labels: { app: 'a' } }, spec: pod(image) });
const selector = { matchLabels: { app: 'a' } };
const templates = [0, 0, 1];
const replicated = {
  base: { selector },
  specs: [
    { replicas: 1, template: template('i') },
    { replicas: 2, template: template('i') },
    { replicas: 2, template: template('j') },
  ],
  statuses: [{ replicas: 1 }, { replicas: 2 }, { replicas: 3 }],
  hasGeneration: true,
};
const jobSpec = { template: { spec: { ...pod('i'), restartPolicy: 'Never' } } };

const KINDS: readonly Kind[] = [
  {
    ...replicated,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments',
    annotationsCount: true,
    statusKeepsLabels: true,
  },
  { ...replicated, apiVersion: 'apps/v1', kind: 'ReplicaSet', resource: 'replicasets' },
  {
    ...replicated,
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    resource: 'statefulsets',
    base: { selector, serviceName: 's' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    isFilledIn: true,
    resource: 'daemonsets',
    base: { selector },
    specs: [
      { minReadySeconds: 1, template: template('i') },
      { minReadySeconds: 2, template: template('i') },
      { minReadySeconds: 2, template: template('j') },
    ],
    templates,
    statuses: [1, 2, 3].map((count) => ({
      currentNumberScheduled: count,
      desiredNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 0,
    })),
    hasGeneration: true,
  },
  {
    ...replicated,
    apiVersion: 'v1',
    kind: 'ReplicationController',
    isFilledIn: true,
    resource: 'replicationcontrollers',
    base: { selector: { app: 'a' } },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    isFilledIn: true,
    resource: 'jobs',
    base: jobSpec,
    specs: [{ parallelism: 1 }, { parallelism: 2 }, { parallelism: 2, suspend: true }],
    statuses: [{ active: 1 }, { active: 2 }, { active: 3 }],
    hasGeneration: true,
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    resource: 'cronjobs',
    base: { jobTemplate: { spec: jobSpec } },
    specs: [{ schedule: '* * * * *' }, { schedule: '1 * * * *' }, { schedule: '1 * * * *', suspend: true }],
    statuses: [1, 2, 3].map((day) => ({ lastScheduleTime: `2026-01-0${day}T00:00:00Z` })),
    hasGeneration: true,
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    isFilledIn: true,
    resource: 'nodes',
    isClusterWide: true,
    base: {},
    specs: [{}, { unschedulable: true }],
    statuses: ['1', '2', '3'].map((cpu) => ({ capacity: { cpu } })),
    isMadeWithStatus: true,
    hasGeneration: false,
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    resource: 'resourcequotas',
    base: {},
    specs: ['1', '2', '3'].map((pods) => ({ hard: { secrets: pods } })),
    statuses: ['1', '2', '3'].map((used) => ({ used: { secrets: used } })),
    hasGeneration: false,
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    isFilledIn: true,
    resource: 'persistentvolumes',
    isClusterWide: true,
    base: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/p' } },
    specs: ['Retain', 'Delete', 'Recycle'].map((policy) => ({ persistentVolumeReclaimPolicy: policy })),
    statuses: ['Available', 'Released', 'Failed'].map((phase) => ({ phase, message: `is ${phase}` })),
    hasGeneration: false,
  },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    resource: 'namespaces',
    isClusterWide: true,
    base: {},
    specs: [{}],
    statuses: [1, 2, 3].map((at) => ({
      conditions: [
        { type: 'NamespaceDeletionContentFailure', status: 'False', reason: `R${at}`, message: 'm' },
      ],
    })),
    hasGeneration: false,
  },
];

interface Wish {
  readonly spec: number;
  readonly status: number;
  readonly labels: Members;
  readonly annotations: Members;
}

interface Seen {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Members;
    readonly annotations?: Members;
  };
  readonly spec?: Members;
  readonly status?: Members;
}

let served: Ask | undefined;
/** One server for all of them: each object has a name of its own. */
const server = (): Ask => (served ??= begun());
function begun(): Ask {
  const ask = askedServer();
  ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return ask;
}
let made = 0;

/** Of the labels that somebody gave it. */
const ownOf = (members: Members = {}): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => name === 'l' || name === 'n'));

class Changed {
  readonly #kind: Kind;
  readonly #name = `o${(made += 1)}`;
  #wish: Omit<Wish, 'status'> & { readonly status: number | undefined };
  #generation = 1;
  #templates = 1;
  #last: Seen | undefined;

  constructor(kind: Kind) {
    this.#kind = kind;
    const wish: Wish = { spec: 0, status: 0, labels: {}, annotations: {} };
    this.#wish = { ...wish, status: kind.isMadeWithStatus ? 0 : undefined };
    const { status, body } = server()('POST', this.#collection, this.#bodyOf(wish));
    expect(status, body.message).toBe(201);
    this.#last = body as unknown as Seen;
    this.#compare(this.#last);
  }

  get #collection(): string {
    const { apiVersion, resource, isClusterWide } = this.#kind;
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    return isClusterWide ? `${root}/${resource}` : `${root}/namespaces/default/${resource}`;
  }

  /** Who merges takes away by saying so. */
  #bodyOf({ spec, status, labels, annotations }: Wish, isMerge = false): Members {
    const { apiVersion, kind, base, specs, statuses } = this.#kind;
    const { resourceVersion } = this.#last?.metadata ?? {};
    const none = isMerge ? { l: null, n: null } : {};
    const nothing = Object.fromEntries(
      specs.flatMap((each) => Object.keys(each).map((name) => [name, null])),
    );
    return {
      apiVersion,
      kind,
      metadata: {
        name: this.#name,
        labels: { ...none, ...labels },
        annotations: { ...none, ...annotations },
        ...(resourceVersion !== undefined && !isMerge && { resourceVersion }),
      },
      spec: { ...base, ...this.#madeParts(), ...(isMerge && nothing), ...specs[spec % specs.length] },
      status: statuses[status],
    };
  }

  /** What the server gave a job of its own it has to keep. */
  #madeParts(): Members {
    if (this.#kind.kind !== 'Job' || !this.#last) return {};
    return { selector: this.#last.spec?.['selector'], template: this.#last.spec?.['template'] };
  }

  write(wish: Wish, through: 'object' | 'status', isMerge: boolean, isDryRun: boolean): void {
    const path = `${this.#collection}/${this.#name}${through === 'status' ? '/status' : ''}`;
    const body = this.#bodyOf(wish, isMerge);
    const answer = server()(isMerge ? 'PATCH' : 'PUT', `${path}${isDryRun ? '?dryRun=All' : ''}`, body);
    expect(answer.status, answer.body.message).toBe(200);
    const before = { wish: this.#wish, generation: this.#generation, templates: this.#templates };
    this.#take(wish, through);
    const isNothing = isDeepStrictEqual(before.wish, this.#wish);
    this.#compare(answer.body as unknown as Seen);
    if (isDryRun) {
      this.#wish = before.wish;
      this.#generation = before.generation;
      this.#templates = before.templates;
    }
    const seen = server()('GET', `${this.#collection}/${this.#name}`).body as unknown as Seen;
    if (isDryRun || (isNothing && !this.#kind.isFilledIn)) expect(seen).toEqual(this.#last);
    else if (!isNothing) expect(seen.metadata.resourceVersion).not.toBe(this.#last?.metadata.resourceVersion);
    this.#last = seen;
    this.#compare(seen);
  }

  /** What it is already. */
  writeAgain(through: 'object' | 'status', isMerge: boolean): void {
    this.write({ ...this.#wish, status: this.#wish.status ?? 0 }, through, isMerge, false);
  }

  #take(wish: Wish, through: 'object' | 'status'): void {
    const { hasGeneration, annotationsCount, statusKeepsLabels, templates: kinds = [], specs } = this.#kind;
    const before = this.#wish;
    const isStatus = through === 'status';
    this.#wish = {
      spec: isStatus ? before.spec : wish.spec % specs.length,
      status: isStatus ? wish.status : before.status,
      labels: isStatus && statusKeepsLabels ? before.labels : wish.labels,
      annotations: wish.annotations,
    };
    if (isStatus || !hasGeneration) return;
    const isNoted = annotationsCount && !isDeepStrictEqual(before.annotations, wish.annotations);
    if (before.spec !== this.#wish.spec || isNoted) this.#generation += 1;
    if (kinds[before.spec] !== kinds[this.#wish.spec]) this.#templates += 1;
  }

  #compare({ metadata, spec, status }: Seen): void {
    const { kind, base, specs, statuses, hasGeneration, templates: kinds } = this.#kind;
    const { spec: at, status: statusAt, labels, annotations } = this.#wish;
    expect(ownOf(metadata.labels)).toEqual(labels);
    expect(ownOf(metadata.annotations)).toEqual(annotations);
    expect(spec ?? {}).toMatchObject({ ...(kind === 'Job' ? {} : base), ...specs[at] });
    for (const name of specs.flatMap((each) => Object.keys(each)))
      if (!Object.hasOwn(specs[at] ?? {}, name)) expect(spec?.[name] ?? false, name).toBe(false);
    const shown = statuses.filter((each) => isPartOf(each, status ?? {}));
    expect(shown).toEqual(statusAt === undefined ? [] : [statuses[statusAt]]);
    expect(metadata.generation).toBe(hasGeneration ? this.#generation : undefined);
    if (kinds) expect(metadata.annotations?.[TEMPLATE_GENERATION]).toBe(String(this.#templates));
  }
}

function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([name, value]) => isPartOf(value, Reflect.get(whole, name)));
}

const named = fc.dictionary(fc.constantFrom('l', 'n'), fc.constantFrom('1', '2'), { noNullPrototype: true });
const wishes = fc.record<Wish>(
  { spec: fc.nat(2), status: fc.nat(2), labels: named, annotations: named },
  { noNullPrototype: true },
);
const acts = actsOn<Changed>();
const write = acts(
  'write',
  fc.record({
    wish: wishes,
    through: fc.constantFrom('object', 'status'),
    isMerge: fc.boolean(),
    isDryRun: fc.integer({ min: 0, max: 5 }).map((at) => at === 0),
  }),
  (changed, { wish, through, isMerge, isDryRun }) => {
    changed.write(wish, through, isMerge, isDryRun);
  },
);
const repeat = acts(
  'write again',
  fc.record({ through: fc.constantFrom('object', 'status'), isMerge: fc.boolean() }),
  (changed, { through, isMerge }) => {
    changed.writeAgain(through, isMerge);
  },
);

it.each(KINDS)('$resource: each part follows its own writes', (kind) => {
  holdsInAnyOrder({
    begin: () => new Changed(kind),
    acts: [write, write, repeat],
    compare: () => undefined,
    most: 8,
    runs: 10,
    isDear: true,
  });
});
