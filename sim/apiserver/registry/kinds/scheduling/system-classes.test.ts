import { expect, test } from 'vitest';
import { askedServer } from '../../../../cli/golden/asked-server.ts';

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';

test('a system priority class cannot be deleted by its name, but goes with the whole collection', () => {
  const ask = askedServer();
  expect(ask('DELETE', `${CLASSES}/system-node-critical`).status).toBe(403);
  expect(ask('DELETE', CLASSES).status).toBe(200);
  expect(ask('GET', `${CLASSES}/system-node-critical`).status).toBe(404);
});
