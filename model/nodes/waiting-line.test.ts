import { describe, expect, test } from 'vitest';
import type { Node } from '../../sim/api/types/core-v1.ts';
import { SECOND } from './observation.ts';
import { WaitingLine } from './waiting-line.ts';
import { Zones } from './zones.ts';

const node = (name: string, ready: boolean, zone = 'a'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }] },
});

const zoneOf = (unready: number, ready: number, zone = 'a'): Node[] =>
  Array.from({ length: unready + ready }, (_, index) => node(`${zone}-${index}`, index >= unready, zone));

const zonesOf = (nodes: readonly Node[]): Zones => {
  const zones = new Zones();
  for (const each of nodes) zones.replace(undefined, each);
  return zones;
};

describe('the rate of a zone, in nodes per 100 s', () => {
  test.each([
    ['is ten as long as no more than two are lost', 2, 0, 10],
    ['is ten as long as less than 55 % are lost', 54, 46, 10],
    ['is one in a large zone that lost 55 %', 55, 45, 1],
    ['is none in a small zone that lost 55 %', 11, 9, 0],
    ['is ten in a zone that is lost as a whole', 60, 0, 10],
  ])('%s', (_, unready, ready, rate) => {
    expect(zonesOf([...zoneOf(unready, ready), node('b-1', true, 'b')]).rateOf('/a')).toBe(rate);
  });

  test('is none anywhere when every node is lost', () => {
    const zones = zonesOf([...zoneOf(1, 0), ...zoneOf(1, 0, 'b')]);
    expect([zones.isAllLost, zones.rateOf('/a'), zones.rateOf('/b')]).toEqual([true, 0, 0]);
  });
});

describe('a node in line', () => {
  const SLACK = 15 * SECOND;
  const lineOf = (nodes: readonly Node[]): WaitingLine => {
    const line = new WaitingLine();
    for (const each of nodes) line.replace(undefined, each);
    for (const each of nodes) if (each.metadata.name?.startsWith('a-')) line.enter(each);
    return line;
  };
  const others = [node('b-1', true, 'b'), node('b-2', true, 'b')];

  test('is overdue when everybody in it has had a turn and the slack is over', () => {
    const line = lineOf([node('a-1', false), node('a-2', false), ...others]);
    line.advance(20 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(false);
    line.advance(20 * SECOND + 1);
    expect(line.isOverdue('a-1', SLACK)).toBe(true);
    expect(line.isOverdue('a-1', 30 * SECOND)).toBe(false);
  });

  test('is never overdue when it has left', () => {
    const line = lineOf([node('a-1', false), ...others]);
    line.leave('a-1');
    line.advance(3_600 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(false);
  });

  test('waits as long as nobody is given up, and anew from then on', () => {
    const lost = [node('a-1', false), node('b-1', false, 'b')];
    const line = lineOf(lost);
    line.advance(600 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(false);
    line.replace(node('b-1', false, 'b'), node('b-1', true, 'b'));
    line.advance(610 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(false);
    line.advance(616 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(true);
  });

  test('waits anew from the end of what hindered the controller', () => {
    const line = lineOf([node('a-1', false), ...others]);
    line.restartAt(100 * SECOND);
    line.advance(110 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(false);
    line.advance(116 * SECOND);
    expect(line.isOverdue('a-1', SLACK)).toBe(true);
  });
});
