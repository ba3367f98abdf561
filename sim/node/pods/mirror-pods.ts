/**
 * The pictures of static pods in the API: made, made anew when somebody deletes them, and removed with their pod. The
 * pods run whether or not this works.
 */
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import { Signal } from '../../engine/signal.ts';
import { seconds } from '../../engine/time.ts';
import { isMirrorOf, mirrorPodOf } from './static-pod.ts';

const { pods } = BUILTIN_HANDLES;
const TRY_AGAIN_AFTER = seconds(10);

export interface MirrorPodsOptions {
  readonly client: ApiClient;
  readonly node: () => Node | undefined;
  /** That run, or are to run, or are ending. */
  readonly staticPods: () => readonly Pod[];
  /** Mirror pods of this node, as the informer has them. */
  readonly mirrors: () => readonly Pod[];
}

export class MirrorPods {
  /** To be fired when pods, mirrors or the node have changed. */
  readonly changed = new Signal();
  readonly #options: MirrorPodsOptions;

  constructor(options: MirrorPodsOptions) {
    this.#options = options;
  }

  /** Without end. */
  *run(): Process<void> {
    const { context } = this.#options.client;
    for (;;) {
      if (yield* this.#putRight()) yield* this.changed.wait();
      else yield* context.race([this.changed.wait(), context.sleep(TRY_AGAIN_AFTER)]);
    }
  }

  /** Whether all is as it should be. */
  *#putRight(): Process<boolean> {
    const { staticPods, mirrors } = this.#options;
    const wanted = new Map(staticPods().map((pod) => [storeKeyOf(pod), pod]));
    let isRight = true;
    for (const mirror of mirrors()) {
      const pod = wanted.get(storeKeyOf(mirror));
      const isGood = pod && isMirrorOf(mirror, pod) && mirror.metadata.deletionTimestamp === undefined;
      if (isGood) wanted.delete(storeKeyOf(mirror));
      else isRight = (yield* this.#attempt(this.#remove(mirror))) && isRight;
    }
    for (const pod of wanted.values()) isRight = (yield* this.#attempt(this.#create(pod))) && isRight;
    return isRight;
  }

  /** Where the informer has only not heard of it yet, the next look finds nothing to do. */
  *#attempt(process: Process<boolean>): Process<boolean> {
    try {
      return yield* process;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return false;
    }
  }

  /** False: there is no node that it could belong to. */
  *#create(pod: Pod): Process<boolean> {
    const { client, node } = this.#options;
    const owner = node();
    if (!owner || owner.metadata.deletionTimestamp !== undefined) return false;
    yield* client.create(pods, mirrorPodOf(pod, owner));
    return true;
  }

  *#remove({ metadata: { name = '', namespace = '', uid = '' } }: Pod): Process<boolean> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    yield* this.#options.client.delete(pods, { name, namespace }, options);
    return true;
  }
}
