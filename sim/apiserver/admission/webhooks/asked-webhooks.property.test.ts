/**
 * Webhooks of any settings, that come, go and change their minds, and servers of theirs that refuse, keep silent or are
 * down: what becomes of each request, what is stored of it, and who was asked how often. In a run nothing of a former
 * request is left when the next one comes.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyObject, type HttpAnswer, type HttpCall, objectBody } from '../../../api/http-call.ts';
import { findRelease } from '../../../api/release/releases.ts';
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Release } from '../../../api/release/release.ts';
import { serveHttp } from '../../../client/http-port.ts';
import { type Cluster } from '../../../cluster/cluster.ts';
import { createCluster } from '../../../cluster/create-cluster.ts';
import { WireUser } from '../../../cluster/wire-user.ts';
import { actsOn, holdsInAnyOrder } from '../../../engine/any-order.arbitrary.ts';
import type { Process } from '../../../engine/process.ts';
import { milliseconds, seconds } from '../../../engine/time.ts';

const HOOKS = ['a', 'b', 'c'] as const;
const KINDS = ['Mutating', 'Validating'] as const;
const NAMES = ['x', 'y'] as const;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io';
const TEXTS: Readonly<Record<Condition, string>> = {
  'not y': "request.name != 'y'",
  marked: "object.metadata.labels['marked'] == 'yes'",
};
const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/**
 * `marks`: it counts its calls in a label of its own, where there is something to mark; `busy`: it wants to be asked once
 * more; `odd`: it answers somebody else.
 */
type Mind = 'marks' | 'agrees' | 'refuses' | 'busy' | 'silent' | 'odd';
type Operation = 'CREATE' | 'UPDATE' | 'DELETE';
type Labels = Readonly<Record<string, string>>;

interface Settings {
  readonly operations: readonly Operation[];
  readonly failurePolicy: 'Fail' | 'Ignore' | undefined;
  readonly reinvocationPolicy: 'IfNeeded' | 'Never' | undefined;
  /** The last two only where there are old versions. */
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  readonly onlyMarked: boolean;
  /** It is given longer than half of a request's time, if it is to change something. */
  readonly isPatient: boolean;
  readonly conditions: readonly Condition[];
}

/** `marked` fails where there is no label to look at, and is never false. */
type Condition = 'not y' | 'marked';

interface Asked {
  readonly uid: string;
  readonly object: { readonly metadata: { readonly labels?: Labels } } | null;
}

interface Write {
  readonly operation: Operation;
  readonly name: string;
  readonly isDryRun: boolean;
}

interface Expected {
  /** One of these: of several webhooks that say no whoever answers first counts. None: nobody has said no so far. */
  readonly statuses: readonly number[];
  /** What it is after the request was admitted. */
  readonly labels: Labels;
}

/** `version`: of configurations. */
interface Age {
  readonly release: Release;
  readonly version: 'v1' | 'v1beta1';
}
const NOW: Age = { release: RELEASE_1_31, version: 'v1' };
/** It knows webhooks that do something beside their answer. */
const OLD: Age = { release: findRelease('1.21') ?? RELEASE_1_31, version: 'v1beta1' };

class Judges {
  readonly #age: Age;
  readonly #cluster: Cluster;
  readonly #wire: WireUser;
  readonly #minds = new Map<string, Mind>(HOOKS.map((hook) => [hook, 'marks']));
  readonly #down = new Set<string>();
  readonly #settings = new Map<string, Settings>();
  readonly #stored = new Map<string, Labels>();
  #asked: string[] = [];
  #calls: string[] = [];
  #secondsLeft = REQUEST_SECONDS;
  #longest = 0;
  /** Who has answered, and counts. */
  readonly #said = new Set<string>();
  #warnings: readonly string[] = [];
  readonly #wasBusy = new Set<string>();

  constructor(age: Age) {
    this.#age = age;
    this.#cluster = createCluster({ controllers: [], scheduler: false, release: age.release });
    this.#wire = new WireUser(this.#cluster);
    for (const hook of HOOKS)
      this.#cluster.simulation.actor(`${hook}.example.com`, {
        start: (context) =>
          serveHttp(context, 443, (call) => this.#answer(hook, call, () => context.sleep(seconds(3_600)))),
      });
    this.#cluster.advance(milliseconds(100));
  }

  *#answer(hook: string, call: HttpCall, wait: () => Process<void>): Process<HttpAnswer> {
    const { apiVersion, request } = bodyObject(call.body) as {
      readonly apiVersion: string;
      readonly request: Asked;
    };
    const isMutating = call.path.startsWith('/mutating');
    const asked = `${hook} ${isMutating ? 'Mutating' : 'Validating'}`;
    this.#asked.push(asked);
    const mind = this.#minds.get(hook);
    if (mind === 'silent') yield* wait();
    if (mind === 'busy' && !this.#wasBusy.delete(asked)) {
      this.#wasBusy.add(asked);
      return { status: 429, headers: { 'retry-after': '0' }, body: objectBody({}) };
    }
    const { uid, object } = request;
    const marked = mind === 'marks' && isMutating && object ? markOf(hook, object.metadata.labels) : {};
    const response = {
      uid: mind === 'odd' ? 'x' : uid,
      allowed: mind !== 'refuses',
      warnings: [asked],
      ...marked,
    };
    return { status: 200, body: objectBody({ apiVersion, kind: 'AdmissionReview', response }) };
  }

  configure(kind: string, hook: string, settings: Settings): void {
    const { operations, onlyMarked, reinvocationPolicy, conditions, isPatient, ...own } = settings;
    const webhook = {
      name: `${hook}.example.com`,
      admissionReviewVersions: ['v1'],
      timeoutSeconds: patienceOf(kind, isPatient),
      clientConfig: { url: `https://${hook}.example.com/${kind.toLowerCase()}` },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations }],
      ...(onlyMarked && { objectSelector: { matchLabels: { marked: 'yes' } } }),
      ...(kind === 'Mutating' && reinvocationPolicy && { reinvocationPolicy }),
      ...(conditions.length > 0 && {
        matchConditions: conditions.map((name) => ({
          name: name.replace(' ', '-'),
          expression: TEXTS[name],
        })),
      }),
      ...own,
    };
    const path = this.#pathOf(kind);
    const webhooks = [webhook];
    const status = this.#settings.has(`${hook} ${kind}`)
      ? this.#send('PATCH', `${path}/${hook}`, { webhooks })
      : this.#send('POST', path, { metadata: { name: hook }, webhooks });
    expect([200, 201]).toContain(status);
    this.#settings.set(`${hook} ${kind}`, settings);
    this.#cluster.advance(seconds(1));
  }

  /** All may change it and see what others have changed, of which one fails. */
  failOne(hook: string, mind: Mind): void {
    for (const each of HOOKS) {
      this.configure('Mutating', each, LENIENT);
      this.turn(each, false);
      this.think(each, each === hook ? mind : 'marks');
    }
    for (const name of NAMES) this.write({ operation: 'CREATE', name, isDryRun: true }, false);
  }

  /** Nobody's failure counts, but all of them take time. */
  failAll(all: readonly (readonly [Mind, boolean])[]): void {
    for (const [at, [mind, isPatient]] of all.entries()) {
      const each = HOOKS[at] ?? 'a';
      this.configure('Mutating', each, { ...LENIENT, isPatient });
      this.think(each, mind);
    }
    for (const name of NAMES) this.write({ operation: 'UPDATE', name, isDryRun: false }, true);
    for (const name of NAMES) this.write({ operation: 'CREATE', name, isDryRun: false }, true);
  }

  /** Asked under conditions, which what is written meets, or not, or fails. */
  condition(kind: string, hook: string, drawn: Pick<Settings, 'failurePolicy' | 'conditions'>): void {
    this.configure(kind, hook, { ...LENIENT, ...drawn });
    for (const name of NAMES)
      for (const isMarked of [false, true])
        for (const operation of ['CREATE', 'UPDATE'] as const)
          this.write({ operation, name, isDryRun: true }, isMarked);
  }

  remove(kind: string, hook: string): void {
    if (!this.#settings.delete(`${hook} ${kind}`)) return;
    expect(this.#send('DELETE', `${this.#pathOf(kind)}/${hook}`, undefined)).toBe(200);
    this.#cluster.advance(seconds(1));
  }

  #pathOf(kind: string): string {
    return `${CONFIGURATIONS}/${this.#age.version}/${kind.toLowerCase()}webhookconfigurations`;
  }

  think(hook: string, mind: Mind): void {
    this.#minds.set(hook, mind);
  }

  turn(hook: string, isDown: boolean): void {
    if (this.#down.has(hook) === isDown) return;
    const { faults } = this.#cluster;
    if (isDown) faults.crash(`${hook}.example.com`);
    else faults.restart(`${hook}.example.com`);
    if (isDown) this.#down.add(hook);
    else this.#down.delete(hook);
    this.#cluster.advance(seconds(1));
  }

  bounce(): void {
    this.#cluster.faults.crash('apiserver/0');
    this.#cluster.faults.restart('apiserver/0');
    this.#cluster.advance(seconds(10));
  }

  #send(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    query = {},
  ): number | undefined {
    const headers = { 'content-type': `application/${method === 'PATCH' ? 'merge-patch+' : ''}json` };
    const { context } = this.#cluster.userClient;
    const sentMs = context.wallMs();
    const answer = this.#wire.request({ method, path, query, headers, user, body });
    expect(context.wallMs() - sentMs, 'it took so long').toBeLessThan(REQUEST_SECONDS * 1_000 + 100);
    this.#warnings = answer?.warnings ?? [];
    return answer?.status;
  }

  write(write: Write, isMarked: boolean): void {
    const { operation, name, isDryRun } = write;
    if (this.#stored.has(name) === (operation === 'CREATE')) return;
    const labels: Labels = isMarked ? { marked: 'yes' } : {};
    this.#asked = [];
    const status = this.#sendWrite(write, labels) ?? 0;
    const expected = this.#expected(write, labels);
    expect(expected.statuses, JSON.stringify(write)).toContain(status);
    expect(
      this.#asked.filter((each) => each.endsWith('Mutating')),
      'who was asked to change it',
    ).toEqual(this.#calls.filter((each) => each.endsWith('Mutating')));
    expect(this.#asked.toSorted(), 'who was asked').toEqual(this.#calls.toSorted());
    expect(this.#warnings.toSorted(), 'what they warn of').toEqual([...this.#said].toSorted());
    if (isDryRun || status >= 400) return;
    if (operation === 'DELETE') this.#stored.delete(name);
    else this.#stored.set(name, expected.labels);
  }

  #sendWrite({ operation, name, isDryRun }: Write, labels: Labels): number | undefined {
    const query = { timeout: `${REQUEST_SECONDS * 1_000}ms`, ...(isDryRun && { dryRun: 'All' }) };
    const body = { metadata: { name, labels } };
    if (operation === 'CREATE') return this.#send('POST', CONFIG_MAPS, body, query);
    if (operation === 'UPDATE') return this.#send('PUT', `${CONFIG_MAPS}/${name}`, body, query);
    return this.#send('DELETE', `${CONFIG_MAPS}/${name}`, undefined, query);
  }

  /** What becomes of it, after the documentation of webhooks; notes the calls. */
  #expected(write: Write, sent: Labels): Expected {
    this.#calls = [];
    this.#said.clear();
    this.#secondsLeft = REQUEST_SECONDS;
    this.#longest = 0;
    const { operation } = write;
    const before = this.#stored.get(write.name) ?? {};
    const changed = this.#changed(write, operation === 'DELETE' ? before : sent, before);
    if (changed.statuses.length > 0) return changed;
    const { labels } = changed;
    const concerned = HOOKS.filter((hook) => {
      const settings = this.#settings.get(`${hook} Validating`);
      return settings && isConcerned(settings, operation, labels, before);
    });
    const meeting = concerned.filter((hook) => this.#meets(hook, 'Validating', write, labels));
    if (concerned.some((hook) => this.#isStopped(hook, 'Validating', write, labels)))
      return { statuses: [403], labels };
    const statuses = meeting.flatMap((hook) => this.#callOf(hook, 'Validating', write) ?? []);
    return { statuses: statuses.length > 0 ? statuses : [operation === 'CREATE' ? 201 : 200], labels };
  }

  /** By those who may change it: each in its turn, and once more whoever wants to see what came after its call. */
  #changed(write: Write, sent: Labels, before: Labels): Expected {
    const { operation } = write;
    let labels = sent;
    const calls: { readonly hook: string; readonly changes: boolean }[] = [];
    for (const isAgain of [false, true]) {
      for (const hook of HOOKS) {
        const settings = this.#settings.get(`${hook} Mutating`);
        if (!settings || !isConcerned(settings, operation, labels, before)) continue;
        if (this.#isStopped(hook, 'Mutating', write, labels)) return { statuses: [403], labels };
        if (!this.#meets(hook, 'Mutating', write, labels)) continue;
        const last = calls.findLastIndex((call) => call.hook === hook);
        const isOutdated = last >= 0 && calls.slice(last + 1).some(({ changes }) => changes);
        if (isAgain && !(settings.reinvocationPolicy === 'IfNeeded' && isOutdated)) continue;
        const status = this.#callOf(hook, 'Mutating', write);
        if (status !== undefined) return { statuses: [status], labels };
        const changes = operation !== 'DELETE' && this.#minds.get(hook) === 'marks' && !this.#down.has(hook);
        if (changes) labels = { ...labels, [hook]: nextMark(labels[hook]) };
        calls.push({ hook, changes });
      }
    }
    return { statuses: [], labels };
  }

  /** Undefined: one of them fails, and none says no. */
  #conditionsHold(
    hook: string,
    kind: string,
    { name, operation }: Write,
    labels: Labels,
  ): boolean | undefined {
    const { conditions = [] } = this.#settings.get(`${hook} ${kind}`) ?? {};
    if (conditions.includes('not y') && name === 'y') return false;
    return conditions.includes('marked') && (operation === 'DELETE' || !labels['marked']) ? undefined : true;
  }

  #meets(hook: string, kind: string, write: Write, labels: Labels): boolean {
    return this.#conditionsHold(hook, kind, write, labels) === true;
  }

  #isStopped(hook: string, kind: string, write: Write, labels: Labels): boolean {
    return this.#conditionsHold(hook, kind, write, labels) === undefined && !this.#isLenient(hook, kind);
  }

  /** What is not said is the milder of the two in old versions, the stricter one now. */
  #isLenient(hook: string, kind: string): boolean {
    const { failurePolicy = this.#age.version === 'v1' ? 'Fail' : 'Ignore' } =
      this.#settings.get(`${hook} ${kind}`) ?? {};
    return failurePolicy === 'Ignore';
  }

  /** The time of a request ends whatever those who are asked may do; those who judge are asked at once. */
  #failed(hook: string, kind: string, isSilent: boolean): number | undefined {
    const { isPatient = false } = this.#settings.get(`${hook} ${kind}`) ?? {};
    const waited = isSilent ? patienceOf(kind, isPatient) : 0;
    this.#secondsLeft -= kind === 'Mutating' ? waited : 0;
    if (kind === 'Validating') this.#longest = Math.max(this.#longest, waited);
    if (!this.#isLenient(hook, kind)) return 500;
    return this.#secondsLeft <= this.#longest ? 504 : undefined;
  }

  /** Undefined: nothing against it. */
  #callOf(hook: string, kind: string, { isDryRun }: Write): number | undefined {
    const { sideEffects } = this.#settings.get(`${hook} ${kind}`) ?? {};
    if (isDryRun && (sideEffects === 'Some' || sideEffects === 'Unknown')) return 400;
    const mind = this.#minds.get(hook);
    const asked = `${hook} ${kind}`;
    if (!this.#down.has(hook)) this.#calls.push(asked, ...(mind === 'busy' ? [asked] : []));
    if (this.#down.has(hook) || mind === 'silent' || mind === 'odd')
      return this.#failed(hook, kind, mind === 'silent' && !this.#down.has(hook));
    this.#said.add(asked);
    return mind === 'refuses' ? 400 : undefined;
  }

  compare(): void {
    const { items } = this.#cluster.client.configMaps.list({ namespace: 'default' });
    const there = items.flatMap(({ metadata }): (readonly [string, Labels])[] =>
      NAMES.some((name) => name === metadata.name) ? [[metadata.name ?? '', metadata.labels ?? {}]] : [],
    );
    expect(new Map(there)).toEqual(this.#stored);
  }
}

const LENIENT: Settings = {
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  failurePolicy: 'Ignore',
  reinvocationPolicy: 'IfNeeded',
  sideEffects: 'None',
  onlyMarked: false,
  isPatient: false,
  conditions: [],
};

/** In seconds. */
const patienceOf = (kind: string, isPatient: boolean): number => (kind === 'Mutating' && isPatient ? 3 : 1);
const REQUEST_SECONDS = 4.5;

const nextMark = (mark = ''): string => `${mark}x`;

function markOf(hook: string, labels: Labels | undefined): object {
  const operations = [
    ...(labels ? [] : [{ op: 'add', path: '/metadata/labels', value: {} }]),
    { op: 'add', path: `/metadata/labels/${hook}`, value: nextMark(labels?.[hook]) },
  ];
  return { patchType: 'JSONPatch', patch: btoa(JSON.stringify(operations)) };
}

/** Webhooks that look at labels are asked where the object has them, or had them before. */
function isConcerned(
  { operations, onlyMarked }: Settings,
  operation: Operation,
  labels: Labels,
  before: Labels,
): boolean {
  if (!operations.includes(operation)) return false;
  return !onlyMarked || labels['marked'] === 'yes' || before['marked'] === 'yes';
}

const onJudges = actsOn<Judges>();
const hook = fc.constantFrom(...HOOKS);
const failurePolicy = fc.constantFrom<Settings['failurePolicy']>('Fail', 'Ignore', undefined);
const settingsOf = ({ version }: Age): fc.Arbitrary<Settings> =>
  fc.record<Settings>({
    operations: fc.constantFrom(['CREATE', 'UPDATE', 'DELETE'], ['CREATE', 'UPDATE'], ['UPDATE', 'DELETE']),
    failurePolicy,
    reinvocationPolicy: fc.constantFrom('IfNeeded', 'IfNeeded', 'Never', undefined),
    sideEffects: fc.constantFrom(
      'None',
      'NoneOnDryRun',
      ...(version === 'v1' ? [] : (['Some', 'Unknown'] as const)),
    ),
    onlyMarked: fc.constantFrom(false, false, true),
    isPatient: fc.constantFrom(false, false, true),
    conditions:
      version === 'v1'
        ? fc.oneof(fc.constant([]), fc.shuffledSubarray<Condition>(['not y', 'marked']))
        : fc.constant([]),
  });
const write = fc.record<Write>({
  operation: fc.constantFrom('CREATE', 'UPDATE', 'UPDATE', 'DELETE'),
  name: fc.constantFrom(...NAMES),
  isDryRun: fc.constantFrom(false, false, true),
});

/** In any order. */
function areAsked(age: Age, runs: number): void {
  const { version } = age;
  const settings = settingsOf(age);
  const mind = fc.constantFrom<Mind>('marks', 'marks', 'marks', 'agrees', 'refuses', 'busy', 'silent', 'odd');
  const configure = onJudges(
    'configure',
    fc.tuple(fc.constantFrom('Mutating', 'Mutating', 'Validating'), hook, settings),
    (judges, drawn) => judges.configure(...drawn),
  );
  const failing = fc.tuple(fc.constantFrom<Mind>('marks', 'silent', 'silent', 'odd', 'busy'), fc.boolean());
  const everybody = onJudges(
    'configure all',
    fc.tuple(fc.constantFrom(...KINDS), fc.tuple(settings, settings, settings)),
    (judges, [kind, all]) => HOOKS.forEach((each, at) => judges.configure(kind, each, all[at] ?? all[0])),
  );
  const conditions = fc.shuffledSubarray<Condition>(version === 'v1' ? ['not y', 'marked'] : []);
  const underConditions = onJudges(
    'condition',
    fc.tuple(fc.constantFrom(...KINDS), hook, fc.record({ failurePolicy, conditions })),
    (judges, drawn) => judges.condition(...drawn),
  );
  const think = onJudges('think', fc.tuple(hook, mind), (judges, drawn) => judges.think(...drawn));
  const send = onJudges('write', fc.tuple(write, fc.boolean()), (judges, drawn) => judges.write(...drawn));
  holdsInAnyOrder<Judges>({
    begin: () => new Judges(age),
    acts: [
      ...[configure, everybody, underConditions, think, think, send, send, send, send],
      onJudges('turn', fc.tuple(hook, fc.boolean()), (judges, drawn) => judges.turn(...drawn)),
      onJudges(
        'fail one',
        fc.tuple(hook, fc.constantFrom<Mind>('silent', 'odd', 'refuses')),
        (judges, drawn) => judges.failOne(...drawn),
      ),
      onJudges('fail all', fc.tuple(failing, failing, failing), (judges, drawn) => judges.failAll(drawn)),
      onJudges('remove', fc.tuple(fc.constantFrom(...KINDS), hook), (judges, drawn) =>
        judges.remove(...drawn),
      ),
      onJudges('bounce', fc.constant(undefined), (judges) => judges.bounce()),
    ],
    compare: (judges) => judges.compare(),
    most: 25,
    runs,
    hasSomeOnly: true,
  });
}

it('are asked whenever they are to be, and what they say is done', () => areAsked(NOW, 45));
it('with effects of their own hear of no dry run', () => areAsked(OLD, 10));
