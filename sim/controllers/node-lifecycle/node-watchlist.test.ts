import { describe, expect, it } from 'vitest';
import { seconds } from '../../engine/time.ts';
import { NodeWatchlist } from './node-watchlist.ts';

describe('the monitor looks', () => {
  it('at nodes that have changed, once', () => {
    const list = new NodeWatchlist();
    for (const name of ['a', 'b', 'a']) list.touch(name);
    expect(list.take(seconds(0))).toEqual(['a', 'b']);
    for (const name of ['a', 'b']) list.settle(name, seconds(5), seconds(5));
    expect(list.take(seconds(0))).toEqual([]);
  });

  it('at calm nodes that have been silent for longer than the grace', () => {
    const list = new NodeWatchlist();
    list.settle('a', seconds(5), seconds(5));
    list.settle('b', seconds(10), seconds(10));
    list.settle('a', seconds(15), seconds(15));
    expect(list.take(seconds(10))).toEqual([]);
    expect(list.take(seconds(11))).toEqual(['b']);
    expect(list.take(seconds(16))).toEqual(['b', 'a']);
  });

  it('in every round at those that are not well, or were not heard of in the round that found them so', () => {
    const list = new NodeWatchlist();
    list.unsettle('a');
    list.settle('b', seconds(5), seconds(10));
    expect([list.take(seconds(0)), list.take(seconds(0))]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    list.settle('a', seconds(15), seconds(15));
    list.forget('b');
    expect(list.take(seconds(0))).toEqual([]);
  });
});
