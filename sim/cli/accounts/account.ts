/**
 * The account of a run: what an onlooker could tell of it afterwards, in lines under titles. What became of each object,
 * step by step and about how long after one another; what each client asked servers for and was told; what is left on the
 * machines. It does not say by which way the program came to it, nor what chance called things, so that it stays the
 * same through changes that nobody outside can notice.
 */
import { createHash } from 'node:crypto';
import { placeIn } from '../../../model/api/exchange.ts';
import { type Message, WireCalls } from '../../../scenarios/checks/wire-calls.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { PlainWords } from './plain-words.ts';

/** Written all the time, and by the clock. */
const UNTOLD = /^\/registry\/(masterleases|apiregistration\.k8s\.io)\//;
const TENTH_MICROS = 100_000;
const NOTHING: ReadonlyMap<string, string> = new Map();

interface Told {
  readonly lines: string[];
  at: number;
  /** Changes of nothing but instants. */
  beats: number;
}

interface Heard extends Message {
  readonly event?: { readonly type?: string; readonly object?: Partial<ApiObject> };
}

export class Account {
  readonly #words = new PlainWords();
  readonly #told = new Map<string, Told>();
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #clusters: Cluster[] = [];

  /** From now on what happens in it belongs to the account. */
  listen(cluster: Cluster): void {
    this.#clusters.push(cluster);
    cluster.storage.watch({
      prefix: '/registry/',
      onEvents: (events) => {
        for (const event of events) {
          const key = event.kind === 'put' ? event.entry.key : event.key;
          const after = event.kind === 'put' ? event.entry.value : undefined;
          if (!UNTOLD.test(key) && !(after && isOfEveryCluster(after)))
            this.#stored(cluster.now, event.previous?.value, after);
        }
      },
    });
    const wire = new WireCalls();
    cluster.simulation.eachActor((actor) => {
      if (!actor.name.startsWith('apiserver/')) return;
      actor.overhear({
        received: (message, end) => this.#asked(end.remote, wire.received(message as Message, end)),
        sent: (message, end) => this.#answered(end.remote, wire.sent(message as Message, end)),
      });
    });
  }

  /** By title, in order of the titles. */
  lines(): ReadonlyMap<string, readonly string[]> {
    const all = new Map<string, readonly string[]>();
    for (const [title, { lines, beats }] of this.#told)
      all.set(title, beats === 0 ? lines : [...lines, `${beats} times only instants`]);
    for (const [title, counts] of this.#counts)
      all.set(title, [...counts].map(([what, count]) => `${count} × ${what}`).sort());
    const left = this.#clusters.flatMap((cluster) => this.#leftOnMachines(cluster));
    if (left.length > 0) all.set('machines', left);
    return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Of all titles that begin with the same word, such as a kind. */
  fingerprints(): ReadonlyMap<string, string> {
    const texts = new Map<string, string[]>();
    for (const [title, lines] of this.lines()) {
      const group = title.split(' ', 1)[0] ?? '';
      texts.set(group, [...(texts.get(group) ?? []), title, ...lines]);
    }
    return new Map([...texts].map(([group, text]) => [group, fingerprint(text.join('\n'))]));
  }

  #stored(now: number, before: ApiObject | undefined, after: ApiObject | undefined): void {
    const object = after ?? before;
    if (!object) return;
    if (after) this.#words.meet(after);
    const { kind, metadata } = object;
    const title = `${kind} ${metadata.namespace ?? ''}/${this.#words.text(metadata.name ?? '')}`;
    const told = this.#told.get(title) ?? { lines: [], at: now, beats: 0 };
    this.#told.set(title, told);
    const changed = after ? this.#words.changes(before ?? {}, after) : NOTHING;
    // Instants read alike before and after.
    if (before && after && changed.size === 0) {
      told.beats++;
      return;
    }
    const what = !after ? 'deleted' : [...changed].map(([path, value]) => `${path}=${value}`).join(', ');
    told.lines.push(`${spanOf(now - told.at)} ${before ? '' : 'created '}${what}`);
    told.at = now;
  }

  #asked(client: string, { call, body }: Message): void {
    if (call && !body)
      this.#count(client, `watch ${placeText(call.path, this.#words)}${queryText(call.query)}`);
  }

  #answered(client: string, message: Heard): void {
    const { to, body, event } = message;
    if (event) this.#count(client, `hears ${event.type ?? ''} ${event.object?.kind ?? ''}`);
    if (!to || body?.status === undefined) return;
    const place = placeText(to.path, this.#words);
    const said = client.startsWith('user/') ? this.#allOf(body.body) : this.#gistOf(body.body);
    const warnings = (body.warnings ?? []).map((text) => ` warns ${text}`).join('');
    this.#count(client, `${to.method} ${place}${queryText(to.query)} ${body.status}${said}${warnings}`);
  }

  /** Who looks on from outside sees all of it. */
  #allOf(answer: unknown): string {
    const leaves = this.#words.leaves(typeof answer === 'string' ? parsed(answer) : answer);
    return ` ${fingerprint([...leaves].map(([path, value]) => `${path}=${value}`).join())}`;
  }

  #gistOf(answer: unknown): string {
    if (typeof answer !== 'object' || answer === null) return '';
    const { kind, reason, items } = answer as Readonly<Record<string, unknown>>;
    if (kind === 'Status' && typeof reason === 'string') return ` ${reason}`;
    return Array.isArray(items) ? ` of ${items.length}` : '';
  }

  #count(client: string, what: string): void {
    const title = `asked by ${client}`;
    const counts = this.#counts.get(title) ?? new Map<string, number>();
    this.#counts.set(title, counts.set(what, (counts.get(what) ?? 0) + 1));
  }

  #leftOnMachines({ agents }: Cluster): readonly string[] {
    return agents.flatMap(({ actor, name, machine: { runtime } }) =>
      runtime
        .all()
        .map((container) => {
          const fate = runtime.fateOf(container.id, actor.context.now() / 1_000);
          const pod = `${container.podNamespace}/${this.#words.text(container.podName)}`;
          return `${name} ${pod} ${container.name} ${fate.kind}`;
        })
        .sort(),
    );
  }
}

const isOfEveryCluster = ({ metadata: { labels, annotations } }: ApiObject): boolean =>
  labels?.['kubernetes.io/bootstrapping'] !== undefined ||
  annotations?.['apf.kubernetes.io/autoupdate-spec'] !== undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** How long it took, coarsely: latencies are drawn anew where anything is. */
const spanOf = (micros: number): string => `+${Math.round(2 * Math.log2(1 + micros / TENTH_MICROS))}`;

/** Names are told with objects: it matters what is asked for, and how often. */
function placeText(path: string, words: PlainWords): string {
  const place = placeIn(path);
  if (!place) return words.text(path);
  const { group, version, resource, name, subresource } = place;
  return [group, version, resource, name === '' ? '' : 'one', subresource].filter(Boolean).join('/');
}

const SAID = [
  'dryRun',
  'limit',
  'fieldSelector',
  'labelSelector',
  'fieldManager',
  'force',
  'propagationPolicy',
];

function queryText(query: Readonly<Record<string, string | undefined>> = {}): string {
  const said = SAID.flatMap((name) => (query[name] === undefined ? [] : [`${name}=${query[name]}`]));
  const version = query['resourceVersion'];
  if (version !== undefined) said.push(version === '0' || version === '' ? 'any version' : 'a version');
  return said.length === 0 ? '' : `?${said.join('&')}`;
}

const DIGITS = 10;
const fingerprint = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
