/**
 * What clients do in several requests: read, change and write back; list page by page; drain a node. Each client (`as`)
 * remembers every object as it last saw it, so that what it writes may be built on something old. How a single request is
 * made is not known here.
 */
import type { Step } from '../language/scenario-shape.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import type { Answer } from '../world/world.ts';

type Ask = (step: Step) => Promise<Answer>;

const NONE = 0;
const CONFLICT = 409;
const GONE = 410;
/** Nobody lists more pages than that; a list that never ends is a mistake of somebody. */
const MOST_PAGES = 500;

export class ClientActs {
  readonly #ask: Ask;
  /** By client and object. */
  readonly #seen = new Map<string, JsonMap>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Keeps what an answer shows of an object. */
  remember(step: Step, { status, body }: Answer): void {
    if (status < 200 || status > 299 || !isMapping(body)) return;
    const { kind, metadata } = body;
    if (typeof kind !== 'string' || kind.endsWith('List') || !isMapping(metadata) || step.subresource) return;
    this.#seen.set(memoryKey(step, { kind, ...namesOf(metadata) }), body);
  }

  async edit(step: Step, edit: NonNullable<Step['edit']>): Promise<Answer> {
    const { change, retries = 0, from = 'server' } = edit;
    const remembered = from === 'memory' ? this.#seen.get(memoryKey(step, edit)) : undefined;
    let answer = remembered
      ? await this.#write(step, edit, remembered, change)
      : await this.#readAndWrite(step, edit);
    for (let tries = 0; tries < retries && (answer.status === CONFLICT || answer.status === NONE); tries++)
      answer = await this.#readAndWrite(step, edit);
    return answer;
  }

  async #readAndWrite(step: Step, edit: NonNullable<Step['edit']>): Promise<Answer> {
    const { change, from: _, retries: __, ...get } = edit;
    const read = await this.#ask({ ...picked(step, [...WHO, 'subresource']), get });
    if (read.status !== 200 || !isMapping(read.body)) return read;
    return this.#write(step, edit, read.body, change);
  }

  #write(
    step: Step,
    { apiVersion = 'v1', kind }: NonNullable<Step['edit']>,
    base: JsonMap,
    change: Json,
  ): Promise<Answer> {
    const update = merged({ ...base, apiVersion, kind }, change) as JsonMap;
    return this.#ask({ ...picked(step, [...WHO, 'query', 'headers', 'subresource']), update });
  }

  /** The last page, or whatever came instead of one. */
  async pages(
    step: Step,
    { between: _, resourceVersion, ...list }: NonNullable<Step['pages']>,
    between: (page: number) => Promise<void>,
  ): Promise<Answer> {
    let token: string | undefined;
    for (let page = 0; ; page++) {
      const answer = await this.#ask({
        ...picked(step, [...WHO, 'query']),
        list: {
          ...list,
          ...(token !== undefined && { continue: token }),
          ...(token === undefined && resourceVersion !== undefined && { resourceVersion }),
        },
      });
      const next = continueIn(answer);
      const isTooOld = answer.status === GONE && next !== undefined && next !== token;
      if ((answer.status !== 200 && !isTooOld) || next === undefined || page >= MOST_PAGES) return answer;
      token = next;
      await between(page);
    }
  }

  async drain(node: string, step: Step): Promise<Answer> {
    const cordoned = await this.#ask({
      ...picked(step, WHO),
      patch: { kind: 'Node', name: node, patch: { spec: { unschedulable: true } } },
    });
    const listed = await this.#ask({
      ...picked(step, WHO),
      list: { kind: 'Pod', allNamespaces: true, fieldSelector: `spec.nodeName=${node}` },
    });
    for (const pod of podsIn(listed)) {
      const create = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: pod };
      await this.#ask({
        ...picked(step, WHO),
        request: {
          method: 'POST',
          path: `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}/eviction`,
          body: create,
        },
      });
    }
    return cordoned;
  }
}

const WHO = ['as', 'server'] as const;

/** Those of the members that are there. */
const picked = <K extends keyof Step>(step: Step, names: readonly K[]): Pick<Step, K> =>
  Object.fromEntries(names.flatMap((name) => (step[name] === undefined ? [] : [[name, step[name]]]))) as Pick<
    Step,
    K
  >;

const memoryKey = (
  { as = '' }: Step,
  { kind, namespace = 'default', name }: { kind: string; namespace?: string; name: string },
): string => `${as} ${kind} ${namespace}/${name}`;

const isMapping = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function namesOf({ name, namespace }: JsonMap): { name: string; namespace?: string } {
  return { name: textOf(name), ...(typeof namespace === 'string' && { namespace }) };
}

function continueIn({ body }: Answer): string | undefined {
  const metadata = isMapping(body) ? body['metadata'] : undefined;
  const token = isMapping(metadata) ? metadata['continue'] : undefined;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function podsIn({ body }: Answer): readonly { readonly name: string; readonly namespace: string }[] {
  const items = isMapping(body) && Array.isArray(body['items']) ? (body['items'] as readonly Json[]) : [];
  return items.flatMap((item) => {
    const metadata = isMapping(item) ? item['metadata'] : undefined;
    if (!isMapping(metadata)) return [];
    const owners = (metadata['ownerReferences'] ?? []) as readonly { readonly kind: string }[];
    if (owners.some(({ kind }) => kind === 'DaemonSet')) return [];
    return [{ name: textOf(metadata['name']), namespace: textOf(metadata['namespace']) }];
  });
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** RFC 7396. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isMapping(patch)) return patch;
  const result: Record<string, Json> = { ...(isMapping(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}
