/** Rules that comparison with a real 1.31 server found to be missing. */
import { expect, test } from 'vitest';
import { askedServer } from '../../../cli/golden/asked-server.ts';

const ask = askedServer();
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?dryRun=All';
const PODS = '/api/v1/namespaces/default/pods?dryRun=All';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

ask('POST', '/api/v1/namespaces/default/serviceaccounts', {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default' },
});

const causesOf = (body: unknown): readonly string[] =>
  ((body as Refusal).details?.causes ?? []).map(
    ({ field, message }) => `${field}: ${message.split(' (e.g.')[0]}`,
  );

function sliceOf(...zones: readonly string[]): readonly string[] {
  const hints = { forZones: zones.map((name) => ({ name })) };
  const { body } = ask('POST', SLICES, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], hints }],
  });
  return causesOf(body);
}

test('zones that hints name are values of labels, and at most eight', () => {
  const zones = 'endpoints[0].hints.forZones';
  expect(sliceOf('', 'a')).toEqual([]);
  expect(sliceOf('!')).toEqual([
    `${zones}[0].name: Invalid value: "!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
  ]);
  expect(sliceOf(...Array.from({ length: 9 }, (_, at) => `zone-${at}`))).toEqual([
    `${zones}: Too many: 9: must have at most 8 items`,
  ]);
});

const podWith = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

test('the name of a claim that is made for a volume of a pod has to fit', () => {
  const volumeClaimTemplate = {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
  };
  const { body } = ask(
    'POST',
    PODS,
    podWith('x'.repeat(252), { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate } }] }),
  );
  expect(causesOf(body)).toEqual([
    `spec.volumes[0].name: Invalid value: "v": PVC name "${'x'.repeat(252)}-v": must be no more than 253 characters`,
  ]);
});

test('a runtime class without a name is asked for', () => {
  const { status, body } = ask('POST', PODS, podWith('p', { runtimeClassName: '' }));
  expect([status, (body as Refusal).message]).toEqual([500, 'resource name may not be empty']);
});

test('scopes that are taken away are shown as they were sent', () => {
  const quota = (scopes: readonly string[]): object => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { pods: '1' }, scopes },
  });
  ask('POST', QUOTAS, quota(['Terminating']));
  const { body } = ask('PUT', `${QUOTAS}/q?dryRun=All`, quota([]));
  expect(causesOf(body)).toEqual([
    'spec.scopes: Invalid value: []core.ResourceQuotaScope{}: field is immutable',
  ]);
});
