/** Which nodes a cluster has: a description in one of several forms, and the templates that it means. */
import { nameIsDnsSubdomain } from '../api/validation/names.ts';
import type { NodeTemplate } from '../node/node-template.ts';

/** So many nodes `worker-1`, `worker-2`, … of one template, spread over zones in turn. */
export interface Fleet {
  readonly count: number;
  /** A number (`zone-1`, `zone-2`, …) or names. */
  readonly zones?: number | readonly string[];
  readonly region?: string;
  /** Default `worker-`. */
  readonly namePrefix?: string;
  readonly template?: Omit<NodeTemplate, 'name'>;
}

/** A number of nodes, a fleet, or a list of names, templates and fleets. */
export type NodesOption = number | Fleet | readonly (string | NodeTemplate | Fleet)[];

/** As many as there are addresses for. */
const MOST_NODES = 10_000;

/** @throws RangeError for so many nodes as cannot be, for names that cannot be, and when two nodes have one name */
export function templatesOf(nodes: NodesOption): readonly NodeTemplate[] {
  const templates = bareTemplatesOf(nodes).map(withAddresses);
  const names = new Set<string>();
  for (const { name } of templates) {
    checkName(name);
    if (names.has(name)) throw new RangeError(`there are two nodes ${JSON.stringify(name)}`);
    names.add(name);
  }
  return templates;
}

function checkName(name: unknown): void {
  const problems = typeof name === 'string' ? nameIsDnsSubdomain(name) : ['a node has a name'];
  if (problems.length > 0)
    throw new RangeError(`a node cannot be called ${JSON.stringify(name)}: ${problems.join('; ')}`);
}

function bareTemplatesOf(nodes: NodesOption): readonly NodeTemplate[] {
  if (typeof nodes === 'number') return fleetOf({ count: nodes });
  if (!isList(nodes)) return fleetOf(nodes);
  return nodes.flatMap((each) => {
    if (typeof each === 'string') return [{ name: each }];
    if (typeof each !== 'object' || each === null)
      throw new RangeError(`a node is a name, a template or a fleet, not ${JSON.stringify(each)}`);
    return 'count' in each ? fleetOf(each) : [each];
  });
}

const isList = (nodes: object): nodes is readonly (string | NodeTemplate | Fleet)[] => Array.isArray(nodes);

function fleetOf({ count, zones, region, namePrefix = 'worker-', template }: Fleet): readonly NodeTemplate[] {
  if (!(Number.isInteger(count) && count >= 0 && count <= MOST_NODES))
    throw new RangeError(`there can be 0 to ${MOST_NODES} nodes, not ${JSON.stringify(count)}`);
  const names =
    typeof zones === 'number'
      ? Array.from({ length: zones }, (_, index) => `zone-${index + 1}`)
      : (zones ?? []);
  return Array.from({ length: count }, (_, index) => {
    const zone = names[index % Math.max(1, names.length)];
    return {
      ...template,
      name: `${namePrefix}${index + 1}`,
      ...(zone !== undefined && { zone }),
      ...(region !== undefined && { region }),
    };
  });
}

/** Machines 10.0.0.1 and on, each with a /24 of 10.128.0.0/9 for its pods. */
function withAddresses(template: NodeTemplate, index: number): NodeTemplate {
  const number = index + 1;
  return {
    internalIP: `10.0.${Math.floor(number / 256)}.${number % 256}`,
    podCIDR: `10.${128 + Math.floor(number / 256)}.${number % 256}.0/24`,
    ...template,
  };
}
