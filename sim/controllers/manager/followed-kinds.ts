/**
 * The kinds that a controller follows because they are served: those that it wants, found by discovery anew every 30 s.
 * Kinds that come are followed from then on, and those that go are let go of. A round that gets no answer changes nothing,
 * and kinds of a version that nobody answers for stay.
 */
import { isCallFailure } from '../../client/api-failure.ts';
import { Discovery, type DiscoveredResource, ServedResources } from '../../client/discovery/discovery.ts';
import { collectionPath, type ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { type Micros, seconds } from '../../engine/time.ts';
import type { ControllerContext, SharedInformer } from './controller.ts';

const EVERY = seconds(30);

export interface FollowedKind {
  readonly handle: ResourceHandle;
  readonly informer: SharedInformer;
}

export interface FollowOptions {
  readonly wants: (resource: DiscoveredResource) => boolean;
  /** Called once for each kind, before its informer tells of anything. */
  readonly onFollow: (kind: FollowedKind) => void;
}

export class FollowedKinds {
  readonly #world: ControllerContext;
  readonly #options: FollowOptions;
  readonly #discovery: Discovery;
  /** By the path of the collection. */
  readonly #kinds = new Map<string, FollowedKind>();
  #served = new ServedResources([]);
  readonly #settled: Signal;
  #isSettled = true;

  constructor(world: ControllerContext, options: FollowOptions) {
    this.#world = world;
    this.#options = options;
    this.#discovery = new Discovery(world.client);
    this.#settled = world.context.signal();
  }

  /** Until everything that the last round found is known. */
  *untilSettled(): Process<void> {
    while (!this.#isSettled) yield* this.#settled.wait();
  }

  /** All that was served when it was last asked for, wanted or not. */
  get served(): ServedResources {
    return this.#served;
  }

  get all(): readonly FollowedKind[] {
    return [...this.#kinds.values()];
  }

  /** The first round, until everything that it found is known. */
  *begin(): Process<void> {
    yield* this.#round();
  }

  /** The other rounds, without end. */
  *goOn(): Process<void> {
    for (;;) {
      yield* this.#world.context.sleep(EVERY);
      yield* this.#round();
    }
  }

  *#round(): Process<void> {
    do yield* this.#look();
    while (!(yield* this.#settle()));
  }

  /** Whether all is known now; it is asked anew which kinds there are before it is waited for those that are not any longer. */
  *#settle(): Process<boolean> {
    const late = (): FollowedKind | undefined => this.all.find(({ informer }) => !informer.isSynced);
    this.#isSettled = late() === undefined;
    const until = this.#world.context.now() + EVERY;
    for (let kind = late(); kind; kind = late()) {
      const left = (until - this.#world.context.now()) as Micros;
      if (left <= 0) return false;
      yield* this.#world.context.within(left, kind.informer.waitUntilSynced());
    }
    this.#isSettled = true;
    this.#settled.fire();
    return true;
  }

  *#look(): Process<void> {
    try {
      this.#served = yield* this.#discovery.served();
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return;
    }
    const wanted = new Map(
      this.#served.preferred
        .filter(this.#options.wants)
        .map(({ handle }) => [collectionPath(handle, ''), handle]),
    );
    for (const [path, handle] of wanted) if (!this.#kinds.has(path)) this.#follow(path, handle);
    for (const [path, { informer, handle }] of [...this.#kinds]) {
      const version = `${handle.group}/${handle.version}`;
      if (wanted.has(path) || (informer.isSynced && this.#served.stale.includes(version))) continue;
      informer.release();
      this.#kinds.delete(path);
    }
  }

  #follow(path: string, handle: ResourceHandle): void {
    const kind = { handle, informer: this.#world.informerOf(handle) };
    this.#kinds.set(path, kind);
    this.#options.onFollow(kind);
  }
}
