import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { NodeInfo } from './node-info.ts';
import { PodCounts, type PodSort } from './pod-counts.ts';

const NODES = ['a', 'b', 'c'];

const podOf = (uid: number, labels: Record<string, string>, node: string): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: `pod-${uid}`, namespace: 'default', uid: String(uid), labels },
  spec: { containers: [], nodeName: node },
});

/** With a label that all of them have, or without saying one. */
const sortOf = (app: string, tier: string | undefined, isLabelTold: boolean): PodSort => ({
  key: `${app} ${tier} ${isLabelTold}`,
  label: isLabelTold ? `app=${app}` : undefined,
  matches: ({ metadata: { labels } }) =>
    labels?.['app'] === app && (tier === undefined || labels['tier'] === tier),
});

const app = fc.constantFrom('web', 'mail', 'db');
const tier = fc.constantFrom('old', 'new');
const command = fc.oneof(
  fc.record({ kind: fc.constant('comes' as const), app, tier, node: fc.constantFrom(...NODES) }),
  fc.record({ kind: fc.constant('goes' as const), which: fc.nat(20) }),
  fc.record({
    kind: fc.constant('asked' as const),
    app,
    tier: fc.option(tier, { nil: undefined }),
    isLabelTold: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('forgotten' as const) }),
);

test('pods of a sort are counted as by looking at all of them, whenever it is asked for the first time', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const counts = new PodCounts();
      const nodes = new Map(NODES.map((name) => [name, new NodeInfo(name)]));
      const present: { readonly pod: Pod; readonly node: string }[] = [];
      commands.forEach((step, at) => {
        if (step.kind === 'comes') {
          const { node } = step;
          const pod = podOf(at, { app: step.app, tier: step.tier }, node);
          present.push({ pod, node });
          nodes.get(node)?.add(pod);
          counts.came(pod, node);
        } else if (step.kind === 'goes') {
          const [gone] = present.splice(step.which % (present.length || 1), 1);
          if (!gone) return;
          nodes.get(gone.node)?.remove(gone.pod.metadata.uid ?? '');
          counts.went(gone.pod, gone.node);
        } else if (step.kind === 'forgotten') {
          counts.forgetAll();
        } else {
          const sort = sortOf(step.app, step.tier, step.isLabelTold);
          const counted = counts.of(sort, nodes.values());
          for (const name of NODES)
            expect(counted.get(name) ?? 0).toBe(
              present.filter(({ pod, node }) => node === name && sort.matches(pod)).length,
            );
        }
      });
    }),
    asOftenAs(300, 20_261_126),
  );
});
