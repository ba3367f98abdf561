import { describe, expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';
import { keepEmptyLists, keepEmptyListsOfText } from './empty-lists.ts';
import type { DraftObject } from '../registry/strategy.ts';

const KIND = { tellingEmptyLists: [['spec', 'rules']] };
const draftWith = (more: object): DraftObject => ({ kind: 'X', apiVersion: 'v1', metadata: {}, ...more });

describe('an empty list of a document', () => {
  test('comes back where the kind tells it from none', () => {
    const draft = draftWith({ spec: {} });
    keepEmptyLists(draft, { spec: { rules: [], others: [] } }, KIND);
    expect(draft['spec']).toEqual({ rules: [] });
  });

  test('comes back for entries of managed fields, whatever the kind', () => {
    const draft = draftWith({});
    keepEmptyListsOfText(draft, '{"metadata": {"managedFields" : [ ]}}', {});
    expect(draft.metadata.managedFields).toEqual([]);
  });

  test('is not invented where the draft has no place for it, nor out of another place', () => {
    const draft = draftWith({});
    keepEmptyLists(draft, { spec: { rules: [] } }, KIND);
    expect(draft).not.toHaveProperty('spec');
    const other = draftWith({ spec: {} });
    keepEmptyListsOfText(other, '{"spec":{"rules":[1]},"status":{"rules":[]}}', KIND);
    expect(other['spec']).toEqual({});
  });
});

test('an empty list of rules is shown in messages, and stored and owned like none', () => {
  const ask = askedServer();
  const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  const refused = ask('POST', path, { metadata: { name: 'a' }, spec: { rules: [] } });
  expect(refused.body.message).toContain('Invalid value: []networking.IngressRule{}: either');
  const spec = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
  const { status, body } = ask('POST', path, { metadata: { name: 'a' }, spec: { ...spec, rules: [] } });
  expect([status, body['spec']]).toEqual([201, spec]);
  expect(JSON.stringify(body)).not.toContain('f:rules');
});

test('an empty list of scaling policies is not filled, in a patch either', () => {
  const ask = askedServer();
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
  ask('POST', path, { metadata: { name: 'a' }, spec: { scaleTargetRef: target, maxReplicas: 3 } });
  const patched = ask('PATCH', `${path}/a`, { spec: { behavior: { scaleDown: { policies: [] } } } });
  expect(patched.body.message).toBe(
    'HorizontalPodAutoscaler.autoscaling "a" is invalid: spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
  );
});
