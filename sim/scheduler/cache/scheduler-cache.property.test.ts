/** What a scheduler believes of nodes and pods, against plain lists that are summed up anew, in any order of news. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { SchedulerCache } from './scheduler-cache.ts';

const NODES = ['n1', 'n2'] as const;
const NAMES = ['a', 'b', 'c'] as const;
const IMAGE = 'registry/image:1';

interface Known {
  readonly pod: Pod;
  readonly isAssumed: boolean;
  readonly expiresAt?: number;
}

interface Shape {
  readonly node: string;
  readonly milliCpu: number;
  readonly claim: boolean;
  readonly avoids: boolean;
}

const podOf = (name: string, { node, milliCpu, claim, avoids }: Shape): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: {
    nodeName: node,
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: `${milliCpu}m` } } }],
    ...(claim && { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] }),
    ...(avoids && {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
          ],
        },
      },
    }),
  },
});

const nodeOf = (name: string, hasImage: boolean, zone: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
  status: {
    allocatable: { cpu: '4', pods: '9' },
    images: hasImage ? [{ names: [IMAGE], sizeBytes: 1 }] : [],
  },
});

class Pair {
  #now = 0;
  readonly #pods = new Map<string, Known>();
  readonly #nodes = new Map<string, boolean>();
  readonly #cache = new SchedulerCache();

  setNode(name: string, hasImage: boolean, zone: string): void {
    this.#nodes.set(name, hasImage);
    this.#cache.setNode(nodeOf(name, hasImage, zone));
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.#cache.removeNode(name);
  }

  assume(name: string, shape: Shape): void {
    const pod = podOf(name, shape);
    expect(this.#cache.assume(pod)).toBe(!this.#pods.has(name));
    if (!this.#pods.has(name)) this.#pods.set(name, { pod, isAssumed: true });
  }

  finish(name: string, within: number): void {
    const known = this.#pods.get(name);
    if (!known) return;
    const expiresAt = this.#now + within;
    this.#cache.finishBinding(known.pod, seconds(expiresAt));
    if (known.isAssumed) this.#pods.set(name, { ...known, expiresAt });
  }

  forget(name: string): void {
    const known = this.#pods.get(name);
    if (!known) return;
    expect(this.#cache.forget(known.pod)).toBe(known.isAssumed);
    if (known.isAssumed) this.#pods.delete(name);
  }

  see(name: string, shape: Shape): void {
    const pod = podOf(name, shape);
    this.#pods.set(name, { pod, isAssumed: false });
    this.#cache.setPod(pod);
  }

  seeEnd(name: string): void {
    this.#cache.removePod(podOf(name, { node: '', milliCpu: 0, claim: false, avoids: false }));
    this.#pods.delete(name);
  }

  pass(span: number): void {
    this.#now += span;
    const over = [...this.#pods].filter(([, { expiresAt = Infinity }]) => expiresAt <= this.#now);
    for (const [name] of over) this.#pods.delete(name);
    const expired = this.#cache.expire(seconds(this.#now)).map(({ metadata: { name: of = '' } }) => of);
    expect(expired.toSorted()).toEqual(over.map(([name]) => name).toSorted());
  }

  compare(): void {
    const cache = this.#cache;
    expect(cache.nodes.map(({ name }) => name).toSorted()).toEqual([...this.#nodes.keys()].toSorted());
    expect(cache.nodesWithImage(IMAGE)).toBe([...this.#nodes.values()].filter(Boolean).length);
    for (const { pod, isAssumed } of this.#pods.values()) expect(cache.isAssumed(pod)).toBe(isAssumed);
    const avoided = [...cache.nodesWithAntiAffinity].map(({ name }) => name).toSorted();
    expect(avoided).toEqual(NODES.filter((name) => this.#on(name).some((pod) => pod.spec?.affinity)));
    const infos = new Map([...cache.everyNode].map((info) => [info.name, info]));
    for (const name of NODES) {
      const pods = this.#on(name);
      const info = infos.get(name);
      expect(info !== undefined).toBe(this.#nodes.has(name) || pods.length > 0);
      expect([...(info?.pods.keys() ?? [])].toSorted()).toEqual(
        pods.map(({ metadata: { name: of = '' } }) => of).toSorted(),
      );
      expect(info?.milliCpu ?? 0).toBe(pods.reduce((sum, pod) => sum + milliCpuOf(pod), 0));
      expect(info?.claims.get('default/data') ?? 0).toBe(pods.filter(({ spec }) => spec?.volumes).length);
    }
  }

  #on(node: string): readonly Pod[] {
    return [...this.#pods.values()].map(({ pod }) => pod).filter(({ spec }) => spec?.nodeName === node);
  }
}

const milliCpuOf = ({ spec }: Pod): number =>
  Number(spec?.containers[0]?.resources?.requests?.['cpu']?.toString().slice(0, -1));

const node = fc.constantFrom(...NODES);
const name = fc.constantFrom(...NAMES);
const shape = fc.record({
  node,
  milliCpu: fc.constantFrom(100, 250),
  claim: fc.boolean(),
  avoids: fc.boolean(),
});
const act = actsOn<Pair>();

it('counts on each node the pods that are there or on their way there, once each', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('set node', fc.tuple(node, fc.boolean(), fc.constantFrom('', 'x', 'y')), (pair, drawn) =>
        pair.setNode(...drawn),
      ),
      act('remove node', node, (pair, of) => pair.removeNode(of)),
      act('assume', fc.tuple(name, shape), (pair, [of, as]) => pair.assume(of, as)),
      act('finish', fc.tuple(name, fc.nat(5)), (pair, [of, within]) => pair.finish(of, within)),
      act('forget', name, (pair, of) => pair.forget(of)),
      act('see', fc.tuple(name, shape), (pair, [of, as]) => pair.see(of, as)),
      act('see end', name, (pair, of) => pair.seeEnd(of)),
      act('pass', fc.integer({ min: 1, max: 4 }), (pair, span) => pair.pass(span)),
    ],
    compare: (pair) => pair.compare(),
    most: 30,
    runs: 200,
  });
});
