import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { Views } from './views.ts';

const version = (kind: string, revision: number): ApiObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'default', resourceVersion: String(revision) },
});
const SETS = '/apis/apps/v1/namespaces/default/replicasets';

/** Two writes at 10 and 20, and one of another kind that matters at 30. */
class Seen {
  readonly views = new Views({ of: ['Deployment', 'ReplicaSet'], writes: 'replicasets' });

  constructor() {
    this.#stored(10, 1, 'Deployment');
    this.#stored(20, 2, 'Deployment');
    this.#stored(25, 3, 'Pod');
    this.#stored(30, 4, 'ReplicaSet');
  }

  #stored(at: number, revision: number, kind: string): void {
    this.views.observe({ kind: 'stored', at, revision, before: undefined, after: version(kind, revision) });
  }

  heard(...objects: readonly ApiObject[]): this {
    this.views.observe({ kind: 'objects-heard', at: 40, by: 'm', clock: 40, objects });
    return this;
  }

  listed(kind: string, revision: number): this {
    const listed = { kind, revision };
    this.views.observe({ kind: 'objects-heard', at: 40, by: 'm', clock: 40, objects: [], listed });
    return this;
  }

  crashed(): this {
    this.views.observe({ kind: 'crashed', at: 41, actor: 'm' });
    return this;
  }

  /** From when on somebody had missed something whose request is sent at 50 and heard at 90. */
  missedSince(by = 'm', path = SETS, body: unknown = version('ReplicaSet', 0)): number {
    const request = { method: 'POST', path, body };
    this.views.observe({ kind: 'request-sent', at: 50, by, clock: 50, ...request });
    this.views.observe({ kind: 'request-heard', at: 90, user: 'system:somebody', ...request });
    return this.views.missedSince(version('ReplicaSet', 9), 99);
  }
}

describe('who has heard', () => {
  it('of all, has missed nothing when he asked', () => {
    const all = [version('Deployment', 2), version('ReplicaSet', 4)];
    expect(new Seen().heard(...all).missedSince()).toBe(50);
    expect(new Seen().heard(...all).missedSince('m', `${SETS}/web`)).toBe(50);
  });

  it('of the first, has missed what came from the second on, until he learns of it', () => {
    expect(new Seen().heard(version('Deployment', 1)).missedSince()).toBe(20);
    const late = new Seen().heard(version('Deployment', 1)).heard(version('Deployment', 2));
    expect(late.missedSince()).toBe(50);
    expect(late.heard(version('Deployment', 1)).missedSince()).toBe(50);
  });

  it('of one kind, may have missed another', () => {
    expect(new Seen().heard(version('Deployment', 2), version('ReplicaSet', 3)).missedSince()).toBe(30);
  });

  it('that there were none, has missed the first', () => {
    expect(new Seen().listed('ReplicaSet', 3).missedSince()).toBe(30);
    expect(new Seen().listed('ReplicaSet', 4).missedSince()).toBe(50);
  });

  it('nothing, or began anew, is not excused by it', () => {
    expect(new Seen().missedSince()).toBe(50);
    expect(new Seen().heard(version('Deployment', 1)).crashed().missedSince()).toBe(50);
  });

  it('is nobody else, and asks for nothing else', () => {
    expect(new Seen().heard(version('Deployment', 1)).missedSince('n')).toBe(50);
    expect(new Seen().heard(version('Deployment', 1)).missedSince('m', `${SETS}/web/status`)).toBe(99);
    const late = new Seen().heard(version('Deployment', 1));
    expect(late.missedSince()).toBe(20);
    expect(late.missedSince('m', `${SETS}/web`, 'bytes')).toBe(90);
  });
});
