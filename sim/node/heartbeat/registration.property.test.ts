/** What an agent corrects of its Node when it registers again: all that is its own, nothing of anybody else, and nothing twice. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { NodeTemplate } from '../node-template.ts';
import { correctionOf } from './registration.ts';

const PLACES = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;
const ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
const value = fc.constantFrom('a', 'b', undefined);

/** By the documentation of the labels that an agent sets. */
const ownOf = ({
  name,
  hostname = name,
  zone,
  region,
  os = 'linux',
  architecture = 'amd64',
}: NodeTemplate) => ({
  'beta.kubernetes.io/arch': architecture,
  'beta.kubernetes.io/os': os,
  'kubernetes.io/arch': architecture,
  'kubernetes.io/hostname': hostname,
  'kubernetes.io/os': os,
  'topology.kubernetes.io/zone': zone,
  'topology.kubernetes.io/region': region,
});

interface Correction {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const template = fc
  .record({ hostname: value, zone: value, region: value, architecture: fc.constantFrom('amd64', 'arm64') })
  .map((facts): NodeTemplate => JSON.parse(JSON.stringify({ name: 'n', ...facts })) as NodeTemplate);

const present = fc.record({
  labels: fc.dictionary(
    fc.constantFrom(...PLACES, ...Object.keys(ownOf({ name: 'n' })), 'example.com/own', 'team'),
    fc.constantFrom('a', 'b', 'linux', 'amd64'),
  ),
  annotations: fc.dictionary(fc.constantFrom(ATTACH, 'note'), fc.constantFrom('true', 'false')),
});

/** As a merge patch. */
function merged(
  old: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>> = {},
): Record<string, string> {
  const all = Object.entries({ ...old, ...patch });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

it('puts right all that is its own, and leaves the rest alone', () => {
  fc.assert(
    fc.property(template, present, (wanted, { labels, annotations }) => {
      const nodeWith = (metadata: object) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n', ...metadata },
      });
      const correction: Correction | undefined = correctionOf(nodeWith({ labels, annotations }), wanted);
      const after = {
        labels: merged(labels, correction?.labels),
        annotations: merged(annotations, correction?.annotations),
      };
      const own = ownOf(wanted);
      const others = Object.entries(labels).filter(([name]) => !(name in own));
      const wantedLabels = Object.entries(own).filter(([, is]) => is !== undefined);
      expect(after.labels).toEqual(Object.fromEntries([...others, ...wantedLabels]));
      expect(after.annotations).toEqual({ ...annotations, [ATTACH]: 'true' });
      for (const [name, is] of Object.entries(correction?.labels ?? {}))
        expect(labels[name] ?? null).not.toBe(is);
      expect(correctionOf(nodeWith(after), wanted)).toBeUndefined();
    }),
    asOftenAs(300),
  );
});
