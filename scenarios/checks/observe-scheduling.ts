/**
 * Looks at the schedulers of a cluster from outside and tells the rules about them what can be seen: what they hear, ask for
 * and are answered. It changes nothing in the cluster.
 */
import type { ApiObject, Cluster, FaultEvent } from '../../sim/index.ts';
import type { SchedulingObservation } from '../../model/scheduling/observation.ts';

type Observe = (observation: SchedulingObservation) => void;
/** What a scheduler may hear, ask or be answered, as it goes over the network. */
interface Message {
  readonly event?: { readonly type: string; readonly object: ApiObject };
  readonly body?: {
    readonly method?: string;
    readonly path?: string;
    readonly status?: number;
    readonly body?: unknown;
  };
  readonly to?: { readonly method: string; readonly path: string; readonly body?: unknown };
}

const isScheduler = (actor: string): boolean => actor.startsWith('scheduler/');
const BINDING = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/binding$/;
const POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)$/;

/** After a pause or a lag what has come meanwhile is looked at; microseconds. */
const AWAKE_AFTER = 1_000_000;

/** From now on every observation goes to `observe`. */
export function observeScheduling(cluster: Cluster, observe: Observe): void {
  for (const { name } of cluster.simulation.actors.filter((actor) => isScheduler(actor.name)))
    new Listener(cluster, name, observe).listen();
}

class Listener {
  readonly #cluster: Cluster;
  readonly #name: string;
  readonly #observe: Observe;
  #informedFrom = 0;

  constructor(cluster: Cluster, name: string, observe: Observe) {
    this.#cluster = cluster;
    this.#name = name;
    this.#observe = observe;
  }

  listen(): void {
    this.#cluster.faults.actor(this.#name).overhear({
      sent: (message) =>
        this.#tell(
          sentIn(message as Message, {
            isInformed: this.#isInformed,
            mayBeLost: this.#cluster.requestFaults.hinderAnybody,
          }),
        ),
      received: (message) => this.#tell(heardIn(message as Message)),
    });
    this.#cluster.faults.listen((event) => this.#hear(event));
  }

  get #isInformed(): boolean {
    const late = this.#cluster.schedulers.find(({ name }) => name === this.#name)?.hearsLate ?? 0;
    return late === 0 && this.#cluster.now >= this.#informedFrom;
  }

  #tell(seen: Seen | undefined): void {
    if (seen) this.#observe({ ...seen, by: this.#name, at: this.#cluster.now });
  }

  /** Whoever begins anew knows nothing; links and lives of others may cost answers. */
  #hear({ verb, actors }: FaultEvent): void {
    const isOwn = verb === 'life' && actors.includes(this.#name);
    if (isOwn) this.#informedFrom = this.#cluster.now + AWAKE_AFTER;
    if (isOwn && this.#cluster.faults.actor(this.#name).state === 'crashed') this.#tell({ kind: 'ended' });
    else if (verb === 'link' || verb === 'life' || verb === 'requests') this.#tell({ kind: 'disturbed' });
  }
}

type Bare<T> = T extends unknown ? Omit<T, 'at' | 'by'> : never;
type Seen = Bare<SchedulingObservation>;

function sentIn(
  { body }: Message,
  { isInformed, mayBeLost }: { readonly isInformed: boolean; readonly mayBeLost: boolean },
): Seen | undefined {
  const { method, path = '' } = body ?? {};
  if (method === 'POST') {
    const [, namespace, name] = BINDING.exec(path) ?? [];
    if (name === undefined || !body) return undefined;
    const { metadata, target } = body.body as { metadata: { uid?: string }; target: { name: string } };
    return {
      kind: 'binds',
      pod: `${namespace}/${name}`,
      uid: metadata.uid ?? '',
      node: target.name,
      isInformed,
      mayBeLost,
    };
  }
  const [, namespace, name] = (method === 'DELETE' && POD.exec(path)) || [];
  return name === undefined ? undefined : { kind: 'deletes', pod: `${namespace}/${name}`, isInformed };
}

function heardIn({ event, body, to }: Message): Seen | undefined {
  if (event) {
    const { type, object } = event;
    if (type === 'DELETED') return { kind: 'heard-gone', object };
    return type === 'ADDED' || type === 'MODIFIED' ? { kind: 'heard', objects: [object] } : undefined;
  }
  if (to && BINDING.test(to.path)) {
    const { metadata } = to.body as { metadata: { uid?: string } };
    return { kind: 'bind-answered', uid: metadata.uid ?? '', isBound: (body?.status ?? 500) < 300 };
  }
  const list = body?.body as { readonly kind?: string; readonly items?: readonly ApiObject[] } | undefined;
  const kind = /^(Node|Pod)List$/.exec(list?.kind ?? '')?.[1];
  if (kind === undefined) return undefined;
  // Items of a list do not say what they are.
  return { kind: 'heard-all', of: kind, objects: (list?.items ?? []).map((item) => ({ ...item, kind })) };
}
