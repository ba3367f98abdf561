import { expect, it } from 'vitest';
import type { Container, Pod } from '../../sim/api/types/core-v1.ts';
import { isUndemanding } from './rest-view.ts';

const podWith = (container: Partial<Container>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'main', image: 'app:1', ...container }] },
});

it.each<[boolean, Partial<Container>]>([
  [true, {}],
  [true, { env: [{ name: 'A', value: '1' }] }],
  [true, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }],
  [false, { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'x', key: 'y' } } }] }],
  [false, { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'x', key: 'y' } } }] }],
  [false, { envFrom: [{ configMapRef: { name: 'x' } }] }],
])('%s: a pod has to run whatever there is, with a container of %j', (expected, container) => {
  expect(isUndemanding(podWith(container))).toBe(expected);
});

it.each([
  [true, '{"stopsAfterSeconds":2}'],
  [false, '{"stopsAfterSeconds":2,"runsForSeconds":1}'],
  [false, '{"imageMissing":true}'],
])('%s: it runs as others do, told to behave like %s', (expected, behaviour) => {
  const pod = podWith({});
  const annotations = { 'behaviour.kubesim.dev/main': behaviour };
  expect(isUndemanding({ ...pod, metadata: { ...pod.metadata, annotations } })).toBe(expected);
});
