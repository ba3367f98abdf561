import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { Past } from './past.ts';

const named = (kind: string, uid: string, more: object = {}, apiVersion = 'v1'): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name: uid, namespace: 'default', uid, ...more },
});
const ownedBy = (uid: string): object => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }],
});
const set = (revision: number): ApiObject => named('ReplicaSet', 's', { resourceVersion: String(revision) });

class Told {
  readonly past = new Past();
  #revision = 0;

  stored(at: number, before: ApiObject | undefined, after: ApiObject | undefined): this {
    this.past.observe({ kind: 'stored', at, revision: ++this.#revision, before, after });
    return this;
  }

  heard(...objects: readonly ApiObject[]): this {
    this.past.observe({ kind: 'objects-heard', at: 1, by: 'm', clock: 1, objects });
    return this;
  }

  crashed(): this {
    this.past.observe({ kind: 'crashed', at: 1, actor: 'm' });
    return this;
  }

  sent(at: number, body: unknown): this {
    this.past.observe({ kind: 'request-sent', at, by: 'm', clock: at, method: 'PATCH', path: '', body });
    return this;
  }

  asked(
    at: number,
    body: unknown,
    user = 'cloud',
    path = '/api/v1/namespaces/default/services/s/status',
  ): this {
    this.past.observe({ kind: 'request-heard', at, user, method: 'PATCH', path, body });
    return this;
  }
}

describe('an owner lost a pod unseen', () => {
  const [orphan, owned] = [named('Pod', 'p'), named('Pod', 'p', ownedBy('s'))];
  const lost = (told: Told): Told => told.stored(2, owned, undefined);

  it('where nobody was told that the pod was its', () => {
    expect(lost(new Told().heard(orphan)).past.lostUnseen(set(0))).toBe(true);
    expect(lost(new Told().heard(named('Pod', 'q'))).past.lostUnseen(set(0))).toBe(true);
    expect(
      lost(new Told().heard(orphan)).past.lostUnseen(named('ReplicaSet', 't', { resourceVersion: '0' })),
    ).toBe(false);
  });

  it('not where its controller was told, or has begun anew', () => {
    expect(lost(new Told().heard(orphan, owned)).past.lostUnseen(set(0))).toBe(false);
    expect(lost(new Told().heard(orphan).crashed()).past.lostUnseen(set(0))).toBe(false);
    expect(new Told().heard(orphan).stored(2, orphan, undefined).past.lostUnseen(set(0))).toBe(false);
  });

  it('not where it was written since', () => {
    expect(lost(new Told().heard(orphan)).past.lostUnseen(set(2))).toBe(false);
  });
});

describe('a certificate was changed unseen', () => {
  const map = (name: string, revision: number): ApiObject =>
    named('ConfigMap', name, { resourceVersion: String(revision) });
  const ca = (revision: number): ApiObject => ({
    ...map('ca', revision),
    metadata: { ...map('ca', revision).metadata, name: 'kube-root-ca.crt' },
  });
  const other = { ...ca(1), metadata: { ...ca(1).metadata, uid: 'other' } };

  it('where it was before anybody was told of it', () => {
    expect(new Told().heard(other).stored(2, ca(1), ca(2)).past.changedUnseen(ca(2))).toBe(true);
  });

  it('not where its maker had been told, has begun anew, or was told of a later change', () => {
    expect(new Told().heard(ca(1)).stored(2, ca(1), ca(2)).past.changedUnseen(ca(2))).toBe(false);
    const anew = new Told().heard(other).crashed().stored(2, ca(1), ca(2));
    expect(anew.past.changedUnseen(ca(2))).toBe(false);
    const later = new Told().heard(other).stored(2, ca(1), ca(2)).heard(ca(2)).stored(3, ca(2), ca(3));
    expect(later.past.changedUnseen(ca(3))).toBe(false);
  });

  it('not where it is anything else', () => {
    const told = new Told().heard(other).stored(2, map('a', 1), map('a', 2));
    expect(told.past.changedUnseen(map('a', 2))).toBe(false);
  });
});

describe('slices of a service are stuck', () => {
  const slice = (uid: string): ApiObject =>
    named('EndpointSlice', uid, { labels: { 'kubernetes.io/service-name': 's' } }, 'discovery.k8s.io/v1');
  const [a, b] = [slice('a'), slice('b')];
  const gone = (told: Told, at: number): Told => told.stored(0, undefined, a).stored(at, a, undefined);
  const isStuck = (told: Told): boolean => told.past.slicesAreStuck('default/s');

  it('where one went right after it was written, or nobody was told of it', () => {
    expect(isStuck(gone(new Told().heard(a), 90_000))).toBe(true);
    expect(isStuck(gone(new Told().heard(b), 2_000_000))).toBe(true);
  });

  it('not where one went long after its maker was told of it, nor those of others', () => {
    const told = gone(new Told().heard(a), 2_000_000);
    expect(isStuck(told)).toBe(false);
    expect(gone(new Told().heard(a), 1).past.slicesAreStuck('default/t')).toBe(false);
  });

  it('not any more once another is written, or their maker begins anew', () => {
    expect(isStuck(gone(new Told().heard(a), 1).stored(2, undefined, b))).toBe(false);
    expect(isStuck(gone(new Told().heard(a), 1).crashed())).toBe(false);
  });
});

describe('a Service was overtaken', () => {
  const service = named('Service', 's');
  const [first, second] = [{ n: 1 }, { n: 2 }];
  const inTurn = (told: Told, bodies: readonly object[]): Told => {
    told.sent(1, first).sent(2, second);
    for (const [index, body] of bodies.entries())
      told.asked(10 + index, body).stored(10 + index, service, service);
    return told;
  };

  it('where a request comes after one that was sent later', () => {
    expect(inTurn(new Told(), [second, first]).past.isOvertaken(service)).toBe(true);
    expect(inTurn(new Told(), [second, first]).past.isOvertaken(named('ConfigMap', 's'))).toBe(false);
  });

  it('and so may be a Node', () => {
    const node: ApiObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'n' } };
    const told = new Told().sent(1, first).sent(2, second);
    for (const [index, body] of [second, first].entries())
      told.asked(10 + index, body, 'keeper', '/api/v1/nodes/n/status').stored(10 + index, node, node);
    expect(told.past.isOvertaken(node)).toBe(true);
    expect(told.past.isOvertaken({ ...node, metadata: { name: 'm' } })).toBe(false);
    expect(told.past.isOvertaken(service)).toBe(false);
  });

  it('not where they come in order, or were of different users', () => {
    expect(inTurn(new Told(), [first, second]).past.isOvertaken(service)).toBe(false);
    const other = new Told()
      .sent(1, first)
      .sent(2, second)
      .asked(10, second, 'jane')
      .stored(10, service, service);
    expect(other.asked(11, first).stored(11, service, service).past.isOvertaken(service)).toBe(false);
  });

  it('not any more once its controller has written again, or it was made anew', () => {
    const [again, third] = [inTurn(new Told(), [second, first]), { n: 3 }];
    again.asked(20, { n: 4 }, 'jane').stored(20, service, service);
    expect(again.past.isOvertaken(service)).toBe(true);
    again.sent(21, third).asked(22, third).stored(22, service, service);
    expect(again.past.isOvertaken(service)).toBe(false);
    const anew = inTurn(new Told(), [second, first])
      .stored(20, service, undefined)
      .stored(21, undefined, service);
    expect(anew.past.isOvertaken(service)).toBe(false);
  });

  it('where its keeper let go of what was wanted again, until it is held again', () => {
    const cloud = (type: string, isHeld: boolean): ApiObject => ({
      ...named('Service', 's', { finalizers: isHeld ? ['service.kubernetes.io/load-balancer-cleanup'] : [] }),
      ...{ spec: { type } },
    });
    const [held, free, other] = [
      cloud('LoadBalancer', true),
      cloud('LoadBalancer', false),
      cloud('ClusterIP', false),
    ];
    expect(new Told().stored(1, held, free).past.isOvertaken(service)).toBe(true);
    expect(new Told().stored(1, held, other).past.isOvertaken(service)).toBe(false);
    expect(new Told().stored(1, held, free).stored(2, free, free).past.isOvertaken(service)).toBe(true);
    expect(new Told().stored(1, held, free).stored(2, free, held).past.isOvertaken(service)).toBe(false);
    expect(new Told().stored(1, held, free).stored(2, free, undefined).past.isOvertaken(service)).toBe(false);
  });

  it('not where the late request changed nothing', () => {
    const told = new Told()
      .sent(1, first)
      .sent(2, second)
      .asked(10, second)
      .asked(11, first)
      .asked(12, {}, 'jane');
    expect(told.stored(12, service, service).past.isOvertaken(service)).toBe(false);
  });
});

describe('an object was made late', () => {
  const definition = (more: object = {}): ApiObject => ({
    ...named('CustomResourceDefinition', 'gears.example.com', more, 'apiextensions.k8s.io/v1'),
    spec: { group: 'example.com', names: { kind: 'Gear' } },
  });
  const going = definition({ deletionTimestamp: 'T' });
  const gear = named('Gear', 'g', {}, 'example.com/v1');
  const ended = (): Told => new Told().stored(0, definition(), going);

  it('just after the end of its definition began', () => {
    expect(ended().stored(900_000, undefined, gear).past.wasMadeLate(gear)).toBe(true);
    expect(ended().stored(5, going, undefined).stored(9, undefined, gear).past.wasMadeLate(gear)).toBe(true);
  });

  it('not long after, nor before, nor of another kind, nor of a definition that is back', () => {
    expect(ended().stored(1_100_000, undefined, gear).past.wasMadeLate(gear)).toBe(false);
    const before = new Told().stored(0, undefined, gear).stored(1, definition(), going);
    expect(before.stored(2, gear, gear).past.wasMadeLate(gear)).toBe(false);
    const wheel = named('Wheel', 'w', {}, 'example.com/v1');
    expect(ended().stored(1, undefined, wheel).past.wasMadeLate(wheel)).toBe(false);
    const back = ended().stored(1, going, undefined).stored(2, undefined, definition());
    expect(back.stored(3, undefined, gear).past.wasMadeLate(gear)).toBe(false);
  });
});

describe('an owner that is to orphan again', () => {
  const going = (...finalizers: readonly string[]): ApiObject =>
    named('ReplicaSet', 's', { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers });
  const [orphaning, collecting] = [going('orphan'), going('foregroundDeletion')];

  it('waits for ever, where nobody was told of the time between', () => {
    const told = new Told().stored(1, orphaning, collecting).stored(2, collecting, orphaning);
    expect(told.past.isToOrphanUnseen(orphaning)).toBe(true);
    expect(told.stored(3, orphaning, undefined).past.isToOrphanUnseen(orphaning)).toBe(false);
  });

  it('is seen by who was told, if of no more than that it goes without', () => {
    const told = new Told().stored(1, orphaning, collecting).heard(collecting);
    expect(told.stored(2, collecting, orphaning).past.isToOrphanUnseen(orphaning)).toBe(false);
    const late = new Told().stored(1, orphaning, collecting).heard(set(1), orphaning);
    expect(late.stored(2, collecting, orphaning).past.isToOrphanUnseen(orphaning)).toBe(true);
  });
});
