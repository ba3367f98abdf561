/** Plugins about what a node has: free ports, resources, images. */
import type { Container } from '../../api/types/core-v1.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { Amounts } from '../cache/amounts.ts';
import { filtering, type Plugin, SKIP } from '../framework/plugin.ts';
import { unschedulable } from '../framework/rejection.ts';

const NODE_GROWS = { resource: 'Node', actions: ['add', 'update'] } as const;
const POD_GOES = { resource: 'Pod', actions: ['delete', 'update'] } as const;

export const nodePorts: Plugin = {
  name: 'NodePorts',
  events: [POD_GOES, NODE_GROWS],
  beginFilter: ({ facts: { hostPorts } }) => {
    if (hostPorts.length === 0) return SKIP;
    const rejection = unschedulable(
      'NodePorts',
      "node(s) didn't have free ports for the requested pod ports",
    );
    return filtering({ check: (node) => (node.hasTaken(hostPorts) ? rejection : undefined) });
  },
};

export const nodeResourcesFit: Plugin = {
  name: 'NodeResourcesFit',
  events: [POD_GOES, NODE_GROWS],
  beginFilter: ({ facts: { requests } }) =>
    filtering({
      check: (node) => {
        if (fitsPlainly(requests, node)) return undefined;
        const reasons = lacking(requests, node);
        return reasons.length === 0 ? undefined : unschedulable('NodeResourcesFit', ...reasons);
      },
    }),
  beginScore: ({ facts: { guessed } }) => ({ score: (node) => leastAllocated(guessed, node) }),
};

/** The usual resources alone are asked for, and are there: most often so. */
function fitsPlainly({ milliCpu, memory, ephemeralStorage, others }: Amounts, node: NodeInfo): boolean {
  const { allocatable } = node;
  return (
    node.pods.size < node.allowedPods &&
    others.size === 0 &&
    (milliCpu === 0 || milliCpu <= allocatable.milliCpu - node.milliCpu) &&
    (memory === 0 || memory <= allocatable.memory - node.memory) &&
    (ephemeralStorage === 0 || ephemeralStorage <= allocatable.ephemeralStorage - node.ephemeralStorage)
  );
}

/** Everything that the node lacks, in words; none if it has all. */
export function lacking(
  { milliCpu, memory, ephemeralStorage, others }: Amounts,
  node: NodeInfo,
): readonly string[] {
  const { allocatable } = node;
  const reasons: string[] = [];
  if (node.pods.size + 1 > node.allowedPods) reasons.push('Too many pods');
  if (milliCpu > 0 && milliCpu > allocatable.milliCpu - node.milliCpu) reasons.push('Insufficient cpu');
  if (memory > 0 && memory > allocatable.memory - node.memory) reasons.push('Insufficient memory');
  if (ephemeralStorage > 0 && ephemeralStorage > allocatable.ephemeralStorage - node.ephemeralStorage)
    reasons.push('Insufficient ephemeral-storage');
  for (const [name, wanted] of others) {
    const free = (allocatable.others.get(name) ?? 0) - (node.others.get(name) ?? 0);
    if (wanted > 0 && wanted > free) reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

/** The mean of what would be left of processors and of memory, in percent. */
function leastAllocated(guessed: Amounts, node: NodeInfo): number {
  const { milliCpu, memory } = node.allocatable;
  let sum = 0;
  let count = 0;
  if (milliCpu > 0) {
    sum += freeShare(node.guessedMilliCpu + guessed.milliCpu, milliCpu);
    count++;
  }
  if (memory > 0) {
    sum += freeShare(node.guessedMemory + guessed.memory, memory);
    count++;
  }
  return count === 0 ? 0 : Math.trunc(sum / count);
}

const freeShare = (used: number, all: number): number =>
  used > all ? 0 : Math.trunc(((all - used) * 100) / all);

/** The nearer the used shares of processors and memory are to each other, the better. */
export const nodeResourcesBalancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  beginScore: ({ facts: { requests } }) => ({
    score: (node) => {
      const { milliCpu, memory } = node.allocatable;
      if (milliCpu === 0 || memory === 0) return 100;
      const cpuShare = Math.min(1, (node.milliCpu + requests.milliCpu) / milliCpu);
      const memoryShare = Math.min(1, (node.memory + requests.memory) / memory);
      return Math.trunc((1 - Math.abs((cpuShare - memoryShare) / 2)) * 100);
    },
  }),
};

const MEBIBYTE = 1024 * 1024;
const LEAST_IMAGE = 23 * MEBIBYTE;
const MOST_IMAGE = 1000 * MEBIBYTE;

/** Images that are there already count by their size, less so if few nodes have them: those would be crowded. */
export const imageLocality: Plugin = {
  name: 'ImageLocality',
  beginScore: ({ pod: { spec } }, _, { cache }) => {
    const all: readonly Container[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const wanted = all.flatMap(({ image = '' }) => {
      const name = withTag(image);
      const spread = cache.nodesWithImage(name) / Math.max(1, cache.nodes.length);
      return spread > 0 ? [{ name, spread }] : [];
    });
    if (wanted.length === 0) return undefined;
    const most = MOST_IMAGE * all.length;
    return {
      score: ({ images }) => {
        let sum = 0;
        for (const { name, spread } of wanted) sum += Math.trunc((images.get(name) ?? 0) * spread);
        const bounded = Math.min(most, Math.max(LEAST_IMAGE, sum));
        return Math.trunc((100 * (bounded - LEAST_IMAGE)) / (most - LEAST_IMAGE));
      },
    };
  },
};

const withTag = (image: string): string =>
  image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
