/** The order in which nodes are looked at: one of each zone in turn, zones and nodes as they came. Pure. */
import type { NodeInfo } from './node-info.ts';

/** Region and zone together. */
function zoneKeyOf(labels: Readonly<Record<string, string>>): string {
  const region =
    labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone =
    labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

/** A zone is as old as its oldest node has been in it without a break; a node that changes zones, or comes back, is the last of its zone. */
export class NodeTree {
  readonly #zones = new Map<string, NodeInfo[]>();

  add(node: NodeInfo): void {
    const zone = zoneKeyOf(node.labels);
    const known = this.#zones.get(zone);
    if (known) known.push(node);
    else this.#zones.set(zone, [node]);
  }

  /** `labels`: those with which it was added. */
  remove(node: NodeInfo, labels: Readonly<Record<string, string>>): void {
    const zone = zoneKeyOf(labels);
    const left = (this.#zones.get(zone) ?? []).filter((other) => other !== node);
    if (left.length > 0) this.#zones.set(zone, left);
    else this.#zones.delete(zone);
  }

  hasMoved({ labels }: NodeInfo, before: Readonly<Record<string, string>>): boolean {
    return zoneKeyOf(labels) !== zoneKeyOf(before);
  }

  move(node: NodeInfo, before: Readonly<Record<string, string>>): void {
    this.remove(node, before);
    this.add(node);
  }

  inTurn(): readonly NodeInfo[] {
    const lists = [...this.#zones.values()];
    const ordered: NodeInfo[] = [];
    const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
    for (let turn = 0; turn < longest; turn++)
      for (const list of lists) {
        const node = list[turn];
        if (node) ordered.push(node);
      }
    return ordered;
  }
}
