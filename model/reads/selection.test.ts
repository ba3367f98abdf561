import { describe, expect, it, test } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { selectionOf } from './selection.ts';

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a,b', namespace: 'default', labels: { app: 'web', tier: '' } },
  spec: { nodeName: 'worker-1' },
} as ApiObject;

describe('labels', () => {
  it.each<[string, boolean]>([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = db', false],
    ['app!=db', true],
    ['none!=db', true],
    ['tier=', true],
    ['app', true],
    ['none', false],
    ['!none', true],
    ['!app', false],
    ['app in (db, web)', true],
    ['app notin (db,web)', false],
    ['none notin (db)', true],
    ['none in (db)', false],
    ['app in (web),tier,!none', true],
    ['app in (web),none', false],
  ])('%s', (labels, isSelected) => {
    const { selects = () => true } = selectionOf(labels) ?? {};
    expect(selects(object)).toBe(isSelected);
  });
});

describe('fields', () => {
  it.each<[string, boolean]>([
    ['metadata.namespace=default', true],
    ['spec.nodeName==worker-1', true],
    ['spec.nodeName!=worker-1', false],
    ['spec.schedulerName=', true],
    ['spec.hostNetwork=false', true],
    ['metadata.name=a\\,b', true],
    ['metadata.name=a\\,b,spec.nodeName=x', false],
  ])('%s', (fields, isSelected) => {
    const { selects = () => true } = selectionOf('', fields) ?? {};
    expect(selects(object)).toBe(isSelected);
  });
});

test('what cannot be read is not judged', () => {
  expect(selectionOf('app in web')).toBeUndefined();
  expect(selectionOf('', 'nonsense')).toBeUndefined();
});
