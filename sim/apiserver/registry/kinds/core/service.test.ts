import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../../api/object.ts';
import { ApiError } from '../../../../api/status.ts';
import type { Service, ServiceSpec } from '../../../../api/types/core-v1.ts';
import type { Draft, HookContext, Strategy } from '../../strategy.ts';
import { serviceKind } from './service.ts';

const serviceStrategy: Strategy<Service> | undefined = serviceKind.strategy;

let present: Service[] = [];
let draws = 0;

const contextOf = (isDryRun = false): HookContext => ({
  nowMs: 0,
  apiVersion: 'v1',
  user: { name: 'u', groups: [] },
  subresource: '',
  namespace: 'default',
  isDryRun,
  isFeatureEnabled: () => false,
  isReleasedBy: () => false,
  lookup: () => undefined,
  lookupAll: (): readonly ApiObject[] => present,
  warn: () => undefined,
  uuid: () => '',
  uint32: () => (draws += 1),
});

/** Sends a service through the hooks of a creation. */
function create(name: string, spec: ServiceSpec, isDryRun = false): Service {
  const draft: Draft<Service> = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default' },
    spec: structuredClone(spec) as Draft<ServiceSpec>,
  };
  const context = contextOf(isDryRun);
  serviceStrategy?.defaults?.(draft, 'v1');
  serviceStrategy?.prepareForCreate?.(draft, context);
  expect(serviceStrategy?.validate?.(draft as Service, context)).toEqual([]);
  serviceStrategy?.allocate?.(draft, undefined, context);
  const created = draft as Service;
  if (!isDryRun) present.push(created);
  return created;
}

function update(old: Service, change: (spec: Draft<ServiceSpec>) => void) {
  const draft = structuredClone(old) as Draft<Service>;
  const context = contextOf();
  change((draft.spec ??= {}));
  serviceStrategy?.defaults?.(draft, 'v1');
  serviceStrategy?.prepareForUpdate?.(draft, old, context);
  const errors = serviceStrategy?.validateUpdate?.(draft, old, context) ?? [];
  serviceStrategy?.allocate?.(draft, old, context);
  return { spec: draft.spec ?? {}, errors };
}

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.status.message ?? '';
    throw error;
  }
  return '';
};

beforeEach(() => {
  present = [];
  draws = 0;
});

describe('a new service', () => {
  it('gets an address of the range, one family and the usual defaults', () => {
    const { spec } = create('a', { ports: [{ port: 80 }] });
    expect(spec).toMatchObject({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
    expect(spec?.clusterIP).toMatch(/^10\.96\./);
    expect(spec?.clusterIPs).toEqual([spec?.clusterIP]);
  });

  it('never shares an address or a node port', () => {
    const made = ['a', 'b', 'c'].map((name) => {
      draws = 0;
      return create(name, { type: 'NodePort', ports: [{ port: 80 }] });
    });
    expect(new Set(made.map(({ spec }) => spec?.clusterIP)).size).toBe(3);
    expect(new Set(made.map(({ spec }) => spec?.ports?.[0]?.nodePort)).size).toBe(3);
  });

  it('is refused an address that another has or that is outside of the range', () => {
    create('a', { clusterIP: '10.96.7.7', ports: [{ port: 80 }] });
    expect(refusal(() => create('b', { clusterIP: '10.96.7.7', ports: [{ port: 80 }] }))).toContain(
      'failed to allocate IP 10.96.7.7: provided IP is already allocated',
    );
    expect(refusal(() => create('c', { clusterIP: '192.168.1.1', ports: [{ port: 80 }] }))).toContain(
      'the provided IP (192.168.1.1) is not in the valid range',
    );
  });

  it('shows in a dry run what no service ever has', () => {
    const { spec } = create('a', { type: 'NodePort', ports: [{ port: 80 }] }, true);
    expect(spec?.clusterIP).toBe('10.96.0.0');
    expect(spec?.ports?.[0]?.nodePort).toBe(32_769);
  });

  it('without selector and address belongs to both families', () => {
    expect(create('a', { clusterIP: 'None' }).spec).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
  });
});

describe('a changed service', () => {
  it('keeps what the server chose when the request is silent', () => {
    const old = create('a', { type: 'NodePort', ports: [{ port: 80 }] });
    const { spec, errors } = update(old, (draft) => {
      draft.ports = [{ port: 80 }];
      delete draft.clusterIP;
      delete draft.clusterIPs;
    });
    expect(errors).toEqual([]);
    expect(spec.clusterIP).toBe(old.spec?.clusterIP);
    expect(spec.ports?.[0]?.nodePort).toBe(old.spec?.ports?.[0]?.nodePort);
  });

  it('gives its node ports back when its type needs none', () => {
    const old = create('a', { type: 'NodePort', ports: [{ port: 80 }] });
    const { spec, errors } = update(old, (draft) => {
      draft.type = 'ClusterIP';
    });
    expect(errors).toEqual([]);
    expect(spec.ports?.[0]?.nodePort).toBeUndefined();
    expect(spec.externalTrafficPolicy).toBeUndefined();
  });

  it('may not take another address', () => {
    const old = create('a', { ports: [{ port: 80 }] });
    const { errors } = update(old, (draft) => {
      draft.clusterIP = '10.96.77.77';
      draft.clusterIPs = ['10.96.77.77'];
    });
    expect(errors.map(({ message }) => message)).toEqual([
      'Invalid value: []string{"10.96.77.77"}: may not change once set',
    ]);
  });
});
