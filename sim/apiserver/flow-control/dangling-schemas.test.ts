import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';

const schema = (level: string): object => ({
  metadata: { name: 'f' },
  spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: 500 },
});
const LEVEL = {
  metadata: { name: 'l' },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
};

test('a flow schema is told to dangle until its level is there, and again when it is gone', () => {
  const ask = askedServer();
  const dangling = (): unknown => {
    const { body } = ask('GET', `${GROUP}/flowschemas/f`);
    const { conditions } = body['status'] as { conditions?: readonly { status: string; reason: string }[] };
    return conditions?.map(({ status, reason }) => `${status} ${reason}`);
  };
  expect(ask('POST', `${GROUP}/flowschemas`, schema('l')).body['status']).toEqual({});
  expect(dangling()).toEqual(['True NotFound']);
  ask('POST', `${GROUP}/prioritylevelconfigurations`, LEVEL);
  expect(dangling()).toEqual(['False Found']);
  ask('DELETE', `${GROUP}/prioritylevelconfigurations/l`);
  expect(dangling()).toEqual(['True NotFound']);
});

test('who empties the status gets it back, and the server looks no further', () => {
  const ask = askedServer();
  ask('POST', `${GROUP}/flowschemas`, schema('catch-all'));
  const { body } = ask('GET', `${GROUP}/flowschemas/f`);
  ask('PUT', `${GROUP}/flowschemas/f/status`, { ...body, status: {} });
  const after = ask('GET', `${GROUP}/flowschemas/f`).body;
  expect(after['status']).toMatchObject({ conditions: [{ type: 'Dangling', status: 'False' }] });
  const again = ask('GET', `${GROUP}/flowschemas/f`).body;
  expect(again.metadata).toEqual(after.metadata);
});
