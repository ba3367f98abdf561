import { expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { askedServer } from '../../cli/golden/asked-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const ACCOUNTS = `${NAMESPACE}/serviceaccounts`;
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

const at = (name: string) => askedServer({ release: findRelease(name) });

it('an account that enforces what may be mounted is warned of since 1.32, once', () => {
  const account = {
    metadata: { name: 'x', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
  };
  const warned = (release: string): readonly number[] => {
    const ask = at(release);
    const label = { metadata: { labels: { a: 'b' } } };
    return [ask('POST', ACCOUNTS, account), ask('PATCH', `${ACCOUNTS}/x`, label)].map(
      ({ warnings }) => warnings.length,
    );
  };
  expect(warned('1.31')).toEqual([0, 0]);
  expect(warned('1.32')).toEqual([1, 0]);
  expect(at('1.32')('POST', ACCOUNTS, account).warnings).toEqual([
    'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
  ]);
});

it('addresses of slices that are written otherwise are warned of since 1.33, unless a controller wrote them', () => {
  const warned = (release: string, labels = {}): readonly string[] =>
    at(release)('POST', SLICES, {
      metadata: { name: 'x', labels },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'] }, { addresses: ['010.0.0.1'] }],
    }).warnings;
  expect(warned('1.32')).toEqual([]);
  expect(warned('1.33')).toEqual([
    'endpoints[1].addresses[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
  ]);
  expect(
    warned('1.33', { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' }),
  ).toEqual([]);
});

it('a service without an address of its own is told since 1.34 what of it means nothing', () => {
  const spec = {
    clusterIP: 'None',
    ports: [{ port: 80 }],
    loadBalancerIP: '192.0.2.1',
    sessionAffinity: 'ClientIP',
  };
  const warned = (release: string): readonly string[] =>
    at(release)('POST', `${NAMESPACE}/services`, { metadata: { name: 'x' }, spec }).warnings;
  expect(warned('1.33')).toEqual([]);
  expect(warned('1.34')).toEqual([
    'spec.loadBalancerIP is ignored for headless services',
    'spec.SessionAffinity is ignored for headless services',
  ]);
});

it('formats of definitions that nobody knows are told since 1.34, once', () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const properties = { a: { type: 'string', format: 'a b' }, b: { type: 'string', format: 'date-time' } };
  const spec = {
    group: 'a.example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties } },
      },
    ],
  };
  const warned = (release: string): readonly (readonly string[])[] => {
    const ask = at(release);
    return [
      ask('POST', definitions, { metadata: { name: 'widgets.a.example.com' }, spec }),
      ask('PATCH', `${definitions}/widgets.a.example.com`, { metadata: { labels: { a: 'b' } } }),
    ].map(({ warnings }) => warnings);
  };
  expect(warned('1.33')).toEqual([[], []]);
  expect(warned('1.34')).toEqual([['unrecognized format "a b"'], []]);
});

it('a request for a token says whose it is since 1.34', () => {
  const asked = (release: string, uid?: string) => {
    const ask = at(release);
    const { metadata } = ask('POST', ACCOUNTS, { metadata: { name: 'x' } }).body as {
      metadata?: { uid?: string };
    };
    const request = { metadata: { ...(uid && { uid }) }, spec: { audiences: ['a'] } };
    const { status, body } = ask('POST', `${ACCOUNTS}/x/token`, request);
    return { status, body, told: (body['metadata'] as { uid?: string }).uid, own: metadata?.uid };
  };
  expect(asked('1.33').told).toBeUndefined();
  expect(asked('1.33', 'other').told).toBeUndefined();
  const { told, own } = asked('1.34');
  expect(told).toBe(own);
  const { status, body } = asked('1.34', 'other');
  expect(status).toBe(409);
  expect(body.message).toMatch(
    /^Operation cannot be fulfilled on TokenRequest\.authentication\.k8s\.io "x": the UID in the token request \(other\) does not match the UID of the service account \(/,
  );
});

it('what is not there is not found since 1.34, whoever it should have been, where an update makes nothing', () => {
  const metadata = { name: 'x', uid: '00000000-0000-0000-0000-000000000001' };
  const put = (release: string, path: string, object: object): number =>
    at(release)('PUT', `${path}/x`, { metadata, ...object }).status;
  const template = { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } };
  expect(put('1.33', `${NAMESPACE}/podtemplates`, template)).toBe(409);
  expect(put('1.34', `${NAMESPACE}/podtemplates`, template)).toBe(404);
  const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  expect(put('1.34', lease, { spec: {} })).toBe(409);
});

it('steps of a claim are named as the API names them since 1.34, and amounts of unknown resources not judged', () => {
  const said = (release: string): unknown => {
    const ask = at(release);
    const path = `${NAMESPACE}/persistentvolumeclaims`;
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    ask('POST', path, { metadata: { name: 'x' }, spec });
    const status = {
      allocatedResourceStatuses: { storage: 'x' },
      allocatedResources: { 'hugepages-a': '-1' },
    };
    const { causes = [] } = (ask('PATCH', `${path}/x/status`, { status }).body['details'] ?? {}) as {
      causes?: readonly { field: string; message: string }[];
    };
    return causes.map(({ field, message }) => `${field}: ${message}`);
  };
  const steps =
    'supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"';
  const amounts = 'status.allocatedResources: Unsupported value: "hugepages-a": supported values: "storage"';
  expect(said('1.33')).toEqual([
    `status.allocatedResourceStatus: Unsupported value: storage: ${steps}`,
    amounts,
  ]);
  expect(said('1.34')).toEqual([
    `status.allocatedResourceStatuses: Unsupported value: "storage": ${steps}`,
    amounts,
  ]);
});
