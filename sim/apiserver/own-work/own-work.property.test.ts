/**
 * What API servers do by themselves, whatever is done to them: definitions get their names and are served, and go with
 * their objects; versions are registered; who serves other groups is looked at; flow schemas say what they lack; policies
 * count; servers keep what shows that they are there, and their rights; keys expire, and old history goes. All that again
 * after each restart, and after a time in which the storage took no writes.
 *
 * @holds sim/apiserver/aggregation sim/apiserver/bootstrap sim/apiserver/flow-control sim/apiserver/custom-resources sim/apiserver/stores sim/apiserver/admission/policies
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Act, actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { type Micros, milliseconds, seconds } from '../../index.ts';
import { Definitions, KINDS, OWN_CONDITIONS, PLURALS, VERSIONS } from './definitions.fixture.ts';
import { Flows, LEVELS, SCHEMAS } from './flows.fixture.ts';
import { Foreign, FOREIGN } from './foreign.fixture.ts';
import { KeptConditions } from './kept-conditions.fixture.ts';
import { OwnObjects, SPOILS } from './own-objects.fixture.ts';
import { OwnServers } from './own-servers.fixture.ts';
import { FORBIDDEN, Policies } from './policies.fixture.ts';

/** Longer than anything takes that servers do by themselves: two rounds of ten seconds after a lease of fifteen. */
const CALM = seconds(40);
/** What follows a change, however long an answer is waited for. */
const SOON = seconds(12);

const SERVERS = [0, 1] as const;

class World {
  readonly servers: OwnServers;
  readonly conditions: KeptConditions;
  readonly definitions: Definitions;
  readonly foreign: Foreign;
  readonly flows: Flows;
  readonly policies: Policies;
  readonly own: OwnObjects;

  constructor(count: number) {
    this.servers = new OwnServers(count);
    this.conditions = new KeptConditions(this.servers);
    this.definitions = new Definitions(this.servers);
    this.foreign = new Foreign(this.servers);
    this.flows = new Flows(this.servers);
    this.policies = new Policies(this.servers);
    this.own = new OwnObjects(this.servers);
  }

  restart(index: number): void {
    if (!this.servers.restart(index)) return;
    this.servers.advance(milliseconds(100));
    this.own.started(this.servers.areWell);
  }

  /** Time goes by; where somebody could do what was to be done, it is done. */
  rest(span: Micros): void {
    this.servers.advance(span);
    if (!this.servers.areWell || span < SOON) return;
    this.definitions.check();
    this.foreign.check();
    this.flows.check();
    this.policies.check();
    if (span >= CALM) this.own.check();
  }

  /** What is older than two intervals, and a round more, is gone. */
  forget(): void {
    const { cluster } = this.servers;
    const before = cluster.storage.revision;
    this.rest(CALM);
    if (this.servers.areWell) expect(cluster.storage.compactedRevision).toBeGreaterThanOrEqual(before);
  }

  heal(): void {
    this.servers.setMajority(true);
    for (const index of SERVERS) this.restart(index);
    this.servers.advance(seconds(1));
    this.forget();
  }
}

const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const act = actsOn<World>();
const names = {
  kind: one(...KINDS),
  shortNames: one<readonly string[]>([], ['g'], ['w']),
  served: one<readonly string[]>(['v1'], ['v2'], ['v1', 'v2']),
};
const wish = fc.record({ plural: one(...PLURALS), ...names });

const definitions = [
  act('define', wish, ({ definitions }, drawn) => definitions.define(drawn)),
  act('undefine', one(...PLURALS), ({ definitions }, plural) => definitions.undefine(plural)),
  act('make', fc.tuple(one(...PLURALS), one('a', 'b'), fc.boolean()), ({ definitions }, drawn) =>
    definitions.make(...drawn),
  ),
  act('define at once', fc.record(names), ({ definitions }, drawn) => definitions.defineAtOnce(drawn)),
  act('define anew', fc.tuple(one(...PLURALS), one(1, 10, 30, 300)), ({ definitions }, [plural, ms]) =>
    definitions.defineAnew(plural, milliseconds(ms)),
  ),
  act('watch', one(...PLURALS), ({ definitions }, plural) => definitions.watch(plural)),
  act('blur', one(...OWN_CONDITIONS), ({ conditions }, path) => conditions.blur(path)),
  act('release', one(...PLURALS), ({ definitions }, plural) => definitions.release(plural)),
  act('meddle', fc.tuple(one(...VERSIONS), one('delete', 'change')), ({ definitions }, drawn) =>
    definitions.meddle(...drawn),
  ),
];
const addresses = one('none', 'empty', 'some');
const foreign = [
  act('register', one(...FOREIGN), ({ foreign }, name) => foreign.register(name)),
  act('unregister', one(...FOREIGN), ({ foreign }, name) => foreign.unregister(name)),
  act(
    'listen',
    fc.tuple(one(...FOREIGN), one('none', 'right', 'right', 'wrong', 'node port', 'headless')),
    ({ foreign }, drawn) => foreign.listen(...drawn),
  ),
  act('reach', addresses, ({ foreign }, some) => foreign.reach(some)),
  act('reach again', fc.tuple(addresses, addresses), ({ foreign }, drawn) => foreign.reachAgain(...drawn)),
  act('follow', one('well', 'badly', 'never', 'never'), ({ foreign }, answers) => foreign.follow(answers)),
];
const flows = [
  act('level', fc.tuple(one(...LEVELS), fc.boolean()), ({ flows }, drawn) => flows.setLevel(...drawn)),
  act('level anew', one(...LEVELS), ({ flows }, level) => flows.levelAnew(level)),
  act('schema', fc.tuple(one(...SCHEMAS), one(...LEVELS, undefined)), ({ flows }, drawn) =>
    flows.setSchema(...drawn),
  ),
];
const policies = [
  act('forbid', one(...FORBIDDEN), ({ policies }, name) => policies.forbid(name)),
  act('allow', NOTHING, ({ policies }) => policies.allow()),
  act('bind', fc.boolean(), ({ policies }, does) => policies.bind(does)),
];
const ownObjects = [
  act(
    'meddle with servers',
    fc.tuple(one('endpoints', 'services'), one('delete', 'change')),
    ({ own }, drawn) => own.meddle(...drawn),
  ),
  act('meddle with the map', one('delete', 'blur', 'add'), ({ own }, does) => own.meddleWithMap(does)),
  act('wait for the map', NOTHING, ({ own }) => own.waitForMap()),
  act('leave alone', fc.boolean(), ({ own }, isLeft) => own.leaveAlone(isLeft)),
  act('spoil', one(...SPOILS), ({ own }, what) => own.spoil(what)),
];
const ends = [
  act('restart', one(...SERVERS), (world, index) => world.restart(index)),
  act('regain majority', NOTHING, ({ servers }) => servers.setMajority(true)),
];
const looks = [
  act('pause', one(3, 300, 3_000), ({ servers }, ms) => servers.advance(milliseconds(ms))),
  act('soon', NOTHING, (world) => world.rest(SOON)),
  act('rest', NOTHING, (world) => world.rest(CALM)),
];
/** No trouble is long: where nobody can do anything nothing is looked at. */
const around = [
  act('crash', one(...SERVERS), ({ servers }, index) => servers.crash(index)),
  act('lose majority', NOTHING, ({ servers }) => servers.setMajority(false)),
  ...[...ends, ...ends, ...ends, ...looks, ...looks],
  act('forget', NOTHING, (world) => world.forget()),
];

/** What comes of a change is looked at at once, or not before others were made. */
const lookedAt = (change: fc.Arbitrary<Act<World>>): fc.Arbitrary<Act<World>> =>
  fc.tuple(change, one(undefined, SOON, SOON, CALM)).map(([{ name, on }, span]) => {
    const text = span === undefined ? name : `${name}, ${span === CALM ? 'rest' : 'soon'}`;
    return {
      name: text,
      on: (world) => {
        on(world);
        if (span !== undefined) world.rest(span);
      },
      [fc.toStringMethod]: () => text,
    };
  });

const rooms = { definitions, foreign, flows, policies, ownObjects };
const all = Object.values(rooms).flat();

describe.each(SERVERS)('is done again after every restart, beside %i others', (others) => {
  it.each(Object.entries({ ...rooms, all }))('%s', (_, acts) => {
    holdsInAnyOrder({
      begin: () => new World(1 + others),
      acts: [...[...acts, ...acts, ...acts].map(lookedAt), ...around],
      compare: ({ conditions }) => conditions.check(),
      end: (world) => world.heal(),
      most: 40,
      runs: 20,
      isDear: true,
    });
  });
});
