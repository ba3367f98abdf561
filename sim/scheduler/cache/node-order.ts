/** The order in which nodes are looked at: one of each zone in turn, zones and nodes as they came. Pure. */
import type { NodeInfo } from './node-info.ts';

/** Region and zone together. */
export function zoneKeyOf(labels: Readonly<Record<string, string>>): string {
  const region =
    labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone =
    labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

export function inTurn(nodes: Iterable<NodeInfo>): readonly NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const zone = zoneKeyOf(node.labels);
    const known = zones.get(zone);
    if (known) known.push(node);
    else zones.set(zone, [node]);
  }
  const lists = [...zones.values()];
  const [only] = lists;
  if (lists.length === 1 && only) return only;
  const ordered: NodeInfo[] = [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let turn = 0; turn < longest; turn++)
    for (const list of lists) {
      const node = list[turn];
      if (node) ordered.push(node);
    }
  return ordered;
}
