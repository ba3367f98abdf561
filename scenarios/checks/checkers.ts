/** Ready-made checks of everything that a scenario has seen. */
import type { History, ObservedItem, ObservedPage } from '../../model/history.ts';
import { counted, sorted } from '../../model/list-guarantees.ts';
import { NODE_RULES, type NodeRuleName } from '../../model/nodes/node-rules.ts';
import { durable, linearizable, type ObservedOperation } from '../../model/operation-guarantees.ts';
import { ordered, unique } from '../../model/watch-guarantees.ts';
import type { CheckerName } from '../language/checkers.ts';
import type { Scenario, Step } from '../language/scenario-shape.ts';
import type { Json } from '../language/shape.ts';
import { comparable, operationOf, type Asked } from './operations.ts';
import type { Answer, WorldWatch } from '../world/world.ts';

type SeenObject = ObservedPage['objects'][number];

interface SeenList {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly SeenObject[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: SeenObject;
}

/** What a scenario has seen of lists and watches. */
export class Observations {
  readonly watches = new Map<string, WorldWatch[]>();
  readonly lists: ObservedPage[][] = [];
  readonly operations: ObservedOperation[] = [];
  /** Lists that go on, by the token of their next page. */
  readonly #unfinished = new Map<string, ObservedPage[]>();

  watched(stream: string, watch: WorldWatch): void {
    this.watches.set(stream, [...(this.watches.get(stream) ?? []), watch]);
  }

  asked(asked: Asked): void {
    const operation = operationOf(asked);
    if (operation) this.operations.push(operation);
  }

  listed(list: NonNullable<Step['list']>, answer: Answer): void {
    if (answer.status !== 200) return;
    const { metadata = {}, items = [] } = answer.body as SeenList;
    const page: ObservedPage = {
      keys: items.map(keyOf),
      objects: items,
      revision: Number(metadata.resourceVersion),
      hasMore: (metadata.continue ?? '') !== '',
      remaining: metadata.remainingItemCount,
    };
    const pages = list.continue === undefined ? [] : (this.#unfinished.get(list.continue) ?? []);
    const all = [...pages, page];
    if (metadata.continue !== undefined && metadata.continue !== '')
      this.#unfinished.set(metadata.continue, all);
    // Pages that follow a token from elsewhere are no complete list, and say nothing about one.
    else if (list.continue === undefined || pages.length > 0) this.lists.push(all);
  }
}

/** Whether a checker compares with what truly happened. */
export const needsHistory = ({ spec: { checkers = [] } }: Scenario): boolean =>
  checkers.includes('writes-durable') || checkers.includes('reads-linearizable');

/** Rules about nodes watch every cluster that has nodes, and others by name. */
export function nodeRulesOf({ spec }: Scenario): readonly NodeRuleName[] {
  const { checkers = [], exempt = [], cluster } = spec;
  const hasNodes = cluster?.nodes !== undefined && cluster.nodes !== 0;
  return NODE_RULES.filter((rule) => (hasNodes || checkers.includes(rule)) && !exempt.includes(rule));
}

/** What does not hold, in words; none when all is well. Rules about nodes are the world's affair. */
export function checkObservations(
  checker: CheckerName,
  { watches, lists, operations }: Observations,
  history: History,
): readonly string[] {
  switch (checker) {
    case 'writes-durable':
      return durable(comparable(operations, history), history).map(({ message }) => message);
    case 'reads-linearizable':
      return linearizable(comparable(operations, history), history).map(({ message }) => message);
    case 'watch-ordered':
    case 'watch-unique':
      return [...watches].flatMap(([stream, opened]) =>
        opened.flatMap((watch) => {
          const items = itemsOf(watch.events);
          const check = checker === 'watch-ordered' ? ordered : unique;
          return check({ scope: '', start: { kind: 'initial', revision: 0 }, items }, []).map(
            ({ message }) => `${stream}: ${message}`,
          );
        }),
      );
    case 'list-sorted':
    case 'list-counted':
      return lists.flatMap((pages) => {
        const check = checker === 'list-sorted' ? sorted : counted;
        return check({ scope: '', pages }).map(({ message }) => message);
      });
    default:
      return [];
  }
}

function itemsOf(events: readonly Json[]): ObservedItem[] {
  return events.flatMap((event): ObservedItem[] => {
    const { type, object } = event as object as WatchEvent;
    const revision = Number(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') return [{ type, revision }];
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
      return [{ type, key: keyOf(object), object, revision }];
    return [];
  });
}

const keyOf = ({ metadata }: SeenObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
