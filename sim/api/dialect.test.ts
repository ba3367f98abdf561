import { describe, expect, it } from 'vitest';
import {
  inwardApiVersion,
  inwardKey,
  KUBERNETES_DIALECT,
  neutralDialect,
  outwardApiVersion,
  outwardGroup,
  outwardKey,
  protobufMediaType,
} from './dialect.ts';

const neutral = neutralDialect('example.org');

describe('the neutral dialect', () => {
  it.each([
    ['storage.k8s.io/v1', 'storage.example.org/v1'],
    ['apps/v1', 'apps/v1'],
    ['v1', 'v1'],
    ['flowcontrol.apiserver.k8s.io/v1', 'flowcontrol.apiserver.example.org/v1'],
  ])('calls %s %s', (inside, outside) => {
    expect(outwardApiVersion(neutral, inside)).toBe(outside);
    expect(inwardApiVersion(neutral, outside)).toBe(inside);
  });

  it.each([
    ['node.kubernetes.io/unreachable', 'node.orchestrator.io/unreachable'],
    ['kubernetes.io/hostname', 'orchestrator.io/hostname'],
    ['k8s.io/deprecated', 'example.org/deprecated'],
    ['app', 'app'],
    ['notkubernetes.io/x', 'notkubernetes.io/x'],
  ])('writes the key %s as %s', (inside, outside) => {
    expect(outwardKey(neutral, inside)).toBe(outside);
    expect(inwardKey(neutral, outside)).toBe(inside);
  });

  it('has a media type of its own', () => {
    expect(protobufMediaType(neutral)).toBe('application/vnd.orchestrator.protobuf');
  });
});

describe('the default dialect', () => {
  it('changes nothing', () => {
    expect(outwardGroup(KUBERNETES_DIALECT, 'storage.k8s.io')).toBe('storage.k8s.io');
    expect(outwardKey(KUBERNETES_DIALECT, 'node.kubernetes.io/x')).toBe('node.kubernetes.io/x');
    expect(protobufMediaType(KUBERNETES_DIALECT)).toBe('application/vnd.kubernetes.protobuf');
  });
});
