import { describe, expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const server = new VirtualServer();
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const RANGES = '/api/v1/namespaces/default/limitranges';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';

function post(path: string, body: object): { readonly status: number; readonly message: string } {
  const { status, bytes } = server.request({
    method: 'POST',
    path: `${path}?dryRun=All`,
    headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  const { message = '' } = JSON.parse(new TextDecoder().decode(bytes)) as { message?: string };
  return { status, message };
}

const quota = (pods: string): object => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard: { pods } },
});
const range = (max: string): object => {
  const limit = {
    type: 'Container',
    max: { cpu: max },
    min: { cpu: '1' },
    maxLimitRequestRatio: { cpu: '2' },
  };
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'r' }, spec: { limits: [limit] } };
};
const volume = (storage: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
});
const claim = (storage: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});

test.each([`1${'0'.repeat(200_000)}`, '1e10001', '-1e2147483647', '0e100000000'])(
  'a quantity that would take minutes to write out is refused wherever it is met (%#)',
  (amount) => {
    for (const [path, body] of [
      [QUOTAS, quota(amount)],
      [RANGES, range(amount)],
      [VOLUMES, volume(amount)],
      [CLAIMS, claim(amount)],
    ] as const) {
      const { status, message } = post(path, body);
      expect(status).toBe(400);
      expect(message).toContain('are not read');
    }
  },
);

test('an exponent is counted in 32 bits, as the real server does', () => {
  expect(post(QUOTAS, quota('1e4294967296')).status).toBe(201);
});

describe('what does not fit 64 bits', () => {
  test.each(['1e18', '1e30', '1e1000', '92233720368547758070'])('passes for whole: %s', (amount) => {
    expect(post(QUOTAS, quota(amount)).status).toBe(201);
    expect(post(CLAIMS, claim(amount)).status).toBe(201);
  });

  test.each(['1e19', '1e1000', '9223372036854775808'])('has no ratio left: %s', (amount) => {
    const { status, message } = post(RANGES, range(amount));
    expect(status).toBe(422);
    expect(message).toContain('ratio 2 is greater than max/min = 0.000000');
  });

  test('is a ratio where it fits', () => {
    expect(post(RANGES, range('20Ei')).status).toBe(201);
    expect(post(RANGES, range('1500m')).message).toContain('max/min = 1.500000');
  });

  test('is told of a volume by its lower bits, and not of its claim', () => {
    const { message } = post(VOLUMES, volume('9223372036854775809'));
    expect(message).toContain('Invalid value: -9223372036854775807: must be a valid resource quantity');
    expect(post(CLAIMS, claim('9223372036854775809')).status).toBe(201);
  });
});
