/**
 * Webhooks of any settings, that come, go and change their minds, and servers of theirs that refuse, keep silent or are
 * down: what becomes of each request, what is stored of it, and who was asked how often. In a run nothing of a former
 * request is left when the next one comes.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyObject, type HttpAnswer, type HttpCall, objectBody } from '../../../api/http-call.ts';
import { serveHttp } from '../../../client/http-port.ts';
import { createCluster } from '../../../cluster/create-cluster.ts';
import { WireUser } from '../../../cluster/wire-user.ts';
import { actsOn, holdsInAnyOrder } from '../../../engine/any-order.arbitrary.ts';
import type { Process } from '../../../engine/process.ts';
import { milliseconds, seconds } from '../../../engine/time.ts';

const HOOKS = ['a', 'b', 'c'] as const;
const KINDS = ['Mutating', 'Validating'] as const;
const NAMES = ['x', 'y'] as const;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** `marks`: it counts its calls in a label of its own, where there is something to mark; `odd`: it answers somebody else. */
type Mind = 'marks' | 'agrees' | 'refuses' | 'silent' | 'odd';
type Operation = 'CREATE' | 'UPDATE' | 'DELETE';
type Labels = Readonly<Record<string, string>>;

interface Settings {
  readonly operations: readonly Operation[];
  readonly failurePolicy: 'Fail' | 'Ignore' | undefined;
  readonly reinvocationPolicy: 'IfNeeded' | 'Never' | undefined;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly onlyMarked: boolean;
}

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

class Judges {
  readonly #cluster = createCluster({ controllers: [], scheduler: false });
  readonly #wire = new WireUser(this.#cluster);
  readonly #minds = new Map<string, Mind>(HOOKS.map((hook) => [hook, 'marks']));
  readonly #down = new Set<string>();
  readonly #settings = new Map<string, Settings>();
  readonly #stored = new Map<string, Labels>();
  #asked: string[] = [];
  #calls: string[] = [];

  constructor() {
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
    this.#asked.push(`${hook} ${isMutating ? 'Mutating' : 'Validating'}`);
    const mind = this.#minds.get(hook);
    if (mind === 'silent') yield* wait();
    const { uid, object } = request;
    const marked = mind === 'marks' && isMutating && object ? markOf(hook, object.metadata.labels) : {};
    const response = { uid: mind === 'odd' ? 'x' : uid, allowed: mind !== 'refuses', ...marked };
    return { status: 200, body: objectBody({ apiVersion, kind: 'AdmissionReview', response }) };
  }

  configure(kind: string, hook: string, settings: Settings): void {
    this.remove(kind, hook);
    const { operations, onlyMarked, reinvocationPolicy, ...own } = settings;
    const webhook = {
      name: `${hook}.example.com`,
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
      clientConfig: { url: `https://${hook}.example.com/${kind.toLowerCase()}` },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations }],
      ...(onlyMarked && { objectSelector: { matchLabels: { marked: 'yes' } } }),
      ...(kind === 'Mutating' && reinvocationPolicy && { reinvocationPolicy }),
      ...own,
    };
    expect(this.#send('POST', pathOf(kind), { metadata: { name: hook }, webhooks: [webhook] })).toBe(201);
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

  remove(kind: string, hook: string): void {
    if (!this.#settings.delete(`${hook} ${kind}`)) return;
    expect(this.#send('DELETE', `${pathOf(kind)}/${hook}`, undefined)).toBe(200);
    this.#cluster.advance(seconds(1));
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

  #send(method: 'POST' | 'PUT' | 'DELETE', path: string, body: unknown, query = {}): number | undefined {
    return this.#wire.request({ method, path, query, user, body })?.status;
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
    if (isDryRun || status >= 400) return;
    if (operation === 'DELETE') this.#stored.delete(name);
    else this.#stored.set(name, expected.labels);
  }

  #sendWrite({ operation, name, isDryRun }: Write, labels: Labels): number | undefined {
    const query = isDryRun ? { dryRun: 'All' } : {};
    const body = { metadata: { name, labels } };
    if (operation === 'CREATE') return this.#send('POST', CONFIG_MAPS, body, query);
    if (operation === 'UPDATE') return this.#send('PUT', `${CONFIG_MAPS}/${name}`, body, query);
    return this.#send('DELETE', `${CONFIG_MAPS}/${name}`, undefined, query);
  }

  /** What becomes of it, after the documentation of webhooks; notes the calls. */
  #expected(write: Write, sent: Labels): Expected {
    this.#calls = [];
    const { operation } = write;
    const before = this.#stored.get(write.name) ?? {};
    const changed = this.#changed(operation, operation === 'DELETE' ? before : sent, before);
    if (changed.statuses.length > 0) return changed;
    const { labels } = changed;
    const statuses = HOOKS.flatMap((hook) => {
      const settings = this.#settings.get(`${hook} Validating`);
      if (!settings || !isConcerned(settings, operation, labels, before)) return [];
      return this.#callOf(hook, 'Validating', settings) ?? [];
    });
    return { statuses: statuses.length > 0 ? statuses : [operation === 'CREATE' ? 201 : 200], labels };
  }

  /** By those who may change it: each in its turn, and once more whoever wants to see what came after its call. */
  #changed(operation: Operation, sent: Labels, before: Labels): Expected {
    let labels = sent;
    const calls: { readonly hook: string; readonly changes: boolean }[] = [];
    for (const isAgain of [false, true]) {
      for (const hook of HOOKS) {
        const settings = this.#settings.get(`${hook} Mutating`);
        if (!settings || !isConcerned(settings, operation, labels, before)) continue;
        const last = calls.findLastIndex((call) => call.hook === hook);
        const isOutdated = last >= 0 && calls.slice(last + 1).some(({ changes }) => changes);
        if (isAgain && !(settings.reinvocationPolicy === 'IfNeeded' && isOutdated)) continue;
        const status = this.#callOf(hook, 'Mutating', settings);
        if (status !== undefined) return { statuses: [status], labels };
        const changes = operation !== 'DELETE' && this.#minds.get(hook) === 'marks' && !this.#down.has(hook);
        if (changes) labels = { ...labels, [hook]: nextMark(labels[hook]) };
        calls.push({ hook, changes });
      }
    }
    return { statuses: [], labels };
  }

  /** Undefined: nothing against it. */
  #callOf(hook: string, kind: string, { failurePolicy }: Settings): number | undefined {
    const mind = this.#minds.get(hook);
    if (!this.#down.has(hook)) this.#calls.push(`${hook} ${kind}`);
    if (this.#down.has(hook) || mind === 'silent' || mind === 'odd')
      return failurePolicy === 'Ignore' ? undefined : 500;
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
};

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

const pathOf = (kind: string): string => `${CONFIGURATIONS}/${kind.toLowerCase()}webhookconfigurations`;

const onJudges = actsOn<Judges>();
const hook = fc.constantFrom(...HOOKS);
const settings = fc.record<Settings>({
  operations: fc.constantFrom(['CREATE', 'UPDATE', 'DELETE'], ['CREATE', 'UPDATE'], ['UPDATE', 'DELETE']),
  failurePolicy: fc.constantFrom('Fail', 'Ignore', undefined),
  reinvocationPolicy: fc.constantFrom('IfNeeded', 'IfNeeded', 'Never', undefined),
  sideEffects: fc.constantFrom('None', 'NoneOnDryRun'),
  onlyMarked: fc.constantFrom(false, false, true),
});
const write = fc.record<Write>({
  operation: fc.constantFrom('CREATE', 'UPDATE', 'UPDATE', 'DELETE'),
  name: fc.constantFrom(...NAMES),
  isDryRun: fc.constantFrom(false, false, true),
});

it('are asked whenever they are to be, and what they say is done', () => {
  const mind = fc.constantFrom<Mind>('marks', 'marks', 'marks', 'agrees', 'refuses', 'silent', 'odd');
  const configure = onJudges(
    'configure',
    fc.tuple(fc.constantFrom('Mutating', 'Mutating', 'Validating'), hook, settings),
    (judges, drawn) => judges.configure(...drawn),
  );
  const everybody = onJudges(
    'configure all',
    fc.tuple(fc.constantFrom(...KINDS), fc.tuple(settings, settings, settings)),
    (judges, [kind, all]) => HOOKS.forEach((each, at) => judges.configure(kind, each, all[at] ?? all[0])),
  );
  const think = onJudges('think', fc.tuple(hook, mind), (judges, drawn) => judges.think(...drawn));
  const send = onJudges('write', fc.tuple(write, fc.boolean()), (judges, drawn) => judges.write(...drawn));
  holdsInAnyOrder<Judges>({
    begin: () => new Judges(),
    acts: [
      ...[configure, everybody, think, think, send, send, send, send],
      onJudges('turn', fc.tuple(hook, fc.boolean()), (judges, drawn) => judges.turn(...drawn)),
      onJudges(
        'fail one',
        fc.tuple(hook, fc.constantFrom<Mind>('silent', 'odd', 'refuses')),
        (judges, drawn) => judges.failOne(...drawn),
      ),
      onJudges('remove', fc.tuple(fc.constantFrom(...KINDS), hook), (judges, drawn) =>
        judges.remove(...drawn),
      ),
      onJudges('bounce', fc.constant(undefined), (judges) => judges.bounce()),
    ],
    compare: (judges) => judges.compare(),
    most: 25,
    runs: 60,
    hasSomeOnly: true,
  });
});
