/**
 * Nodes that fall silent, come back, are removed and made anew in any order, beside the documentation: whoever has been
 * silent for long is Unknown, tainted and its pods are not Ready; whoever is heard is what it says of itself.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NODES = ['k', 'l', 'm', 'n'] as const;
type NodeName = (typeof NODES)[number];
const NAMESPACE = 'kube-node-lease';
const BEAT = 10;
const CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const OWN = { key: 'example.com/own', effect: 'NoSchedule' } as const;

class World extends TroubledManager {
  readonly #speaking = new Set<NodeName>(NODES);
  #pods = 0;

  constructor() {
    super(['node-lifecycle-controller']);
    for (const name of NODES) this.add(name);
    this.pass(20);
  }

  add(name: NodeName): void {
    const { client } = this.cluster;
    tryTo(() => client.nodes.create({ metadata: { name }, spec: { taints: [OWN] } }));
    tryTo(() =>
      client.leases.create({ metadata: { name, namespace: NAMESPACE }, spec: { holderIdentity: name } }),
    );
    this.report(name);
  }

  remove(name: NodeName): void {
    tryTo(() => this.cluster.client.nodes.delete(name));
  }

  silence(name: NodeName): void {
    this.#speaking.delete(name);
  }

  speak(name: NodeName): void {
    this.#speaking.add(name);
    this.report(name);
    for (const { metadata, spec } of this.of('Pod'))
      if (spec?.nodeName === name) this.#tellPod(metadata.name ?? '');
  }

  /** What an agent says of its node. */
  report(name: NodeName): void {
    const now = new Date(this.cluster.userClient.context.wallMs()).toISOString().replace(/\.\d+Z/, 'Z');
    const conditions = CONDITIONS.map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      reason: 'Kubelet',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
    const body = { status: { conditions } };
    tryTo(() => this.cluster.client.nodes.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  run(nodeName: NodeName): void {
    const name = `p-${this.#pods++}`;
    tryTo(() => {
      this.cluster.client.pods.create({
        metadata: { name },
        spec: { nodeName, containers: [{ name: 'c', image: 'i' }], tolerations: [{ operator: 'Exists' }] },
      });
      if (this.#speaking.has(nodeName)) this.#tellPod(name);
    });
  }

  /** Whoever is not silent renews its lease. */
  pass(span: number): void {
    for (let left = span; left > 0; left -= BEAT) {
      for (const name of this.#speaking) this.#beat(name);
      this.cluster.advance(seconds(Math.min(left, BEAT)));
    }
  }

  peace(): void {
    this.endAllTroubles();
    for (const name of [...NODES].filter((each) => !this.#speaking.has(each)).slice(1)) this.speak(name);
    for (const name of this.#speaking) this.add(name);
    this.pass(240);
    // Agents tell their pods anew that were marked while nobody heard them.
    for (const name of this.#speaking) this.speak(name);
    this.pass(240);
  }

  expectRight(): void {
    for (const node of this.of('Node')) {
      const { name = '' } = node.metadata;
      const isHeard = this.#speaking.has(name as NodeName);
      expect(readyOf(node), `readiness of ${name}`).toBe(isHeard ? 'True' : 'Unknown');
      const unknown = (node.status?.conditions ?? []).filter(({ status }) => status === 'Unknown');
      expect(unknown, `unknown of ${name}`).toHaveLength(isHeard ? 0 : CONDITIONS.length);
      const taints = (node.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort();
      const lost = [`${UNREACHABLE}:NoExecute`, `${UNREACHABLE}:NoSchedule`];
      expect(taints, `taints of ${name}`).toEqual([`${OWN.key}:${OWN.effect}`, ...(isHeard ? [] : lost)]);
      for (const pod of this.of('Pod').filter(({ spec }) => spec?.nodeName === name)) {
        const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
        expect(ready?.status ?? 'False', `readiness of a pod on ${name}`).toBe(isHeard ? 'True' : 'False');
      }
    }
  }

  #beat(name: NodeName): void {
    const renewTime = new Date(this.cluster.userClient.context.wallMs()).toISOString().replace('Z', '000Z');
    const body = { spec: { renewTime, leaseDurationSeconds: 40 } };
    tryTo(() => this.cluster.client.leases.patch({ namespace: NAMESPACE, name }, { type: 'merge', body }));
  }

  #tellPod(name: string): void {
    const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }
}

const readyOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const node = fc.constantFrom(...NODES);
const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(15, 45, 90), (world, span) => world.pass(span));

it('says of each node whether it is heard, and of its pods', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: amidTroubles<World>([
      pass,
      pass,
      act('silence', node, (world, name) => world.silence(name)),
      act('silence all', NOTHING, (world) => NODES.forEach((name) => world.silence(name))),
      act('speak', node, (world, name) => world.speak(name)),
      act('run', node, (world, name) => world.run(name)),
      act('report', node, (world, name) => world.report(name)),
      act('remove', node, (world, name) => world.remove(name)),
      act('add', node, (world, name) => world.add(name)),
    ]),
    compare: () => undefined,
    end: (world) => {
      world.peace();
      world.expectRight();
    },
    most: 18,
    runs: 20,
  });
});
