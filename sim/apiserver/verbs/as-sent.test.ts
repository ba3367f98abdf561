import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const VOLUME = { accessModes: ['ReadWriteOnce'], nfs: { server: 'a', path: '/a' } };

const capacityMessage = (amount: string): string => {
  const body = { metadata: { name: 'v' }, spec: { ...VOLUME, capacity: { '': amount } } };
  return String(askedServer()('POST', '/api/v1/persistentvolumes', body).body.message);
};

test.each([
  ['0.1', '{value:1, scale:-1}', ''],
  ['1500m', '{value:1500, scale:-3}', '1500m'],
  ['1000m', '{value:1000, scale:-3}', ''],
  ['0', '{value:0, scale:0}', '0'],
  ['1n', '{value:1, scale:-3}', ''],
])('a refused quantity %s is shown in the parts in which it was sent', (amount, parts, text) => {
  const decimal = 'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}';
  expect(capacityMessage(amount)).toContain(`i:resource.int64Amount${parts}, ${decimal}, s:"${text}"`);
});

test('a quantity of more than 64 bits is shown as a decimal', () => {
  expect(capacityMessage('10Ei')).toMatch(/int64Amount\{value:0, scale:0\}.*Dec\)\(0x[0-9a-f]+\)/);
});

test('a refused time is shown with its fraction', () => {
  const ask = askedServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const metadata = { name: 'c', deletionTimestamp: '2024-01-02T03:04:05.120Z' };
  ask('POST', path, { metadata: { name: 'c' } });
  const { body } = ask('PUT', `${path}/c`, { metadata });
  expect(body.message).toContain('Invalid value: 2024-01-02 03:04:05.12 +0000 UTC: field is immutable');
});
