/** The ControllerRevisions of a DaemonSet: the present one is found or made, former ones go beyond a number. */
import type { ControllerRevision, DaemonSet } from '../../api/types/apps-v1.ts';
import type { Pod, PodTemplateSpec } from '../../api/types/core-v1.ts';
import { ApiError } from '../../api/status.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isAlreadyExists } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant, ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import type { Process } from '../../engine/process.ts';
import type { SharedInformer } from '../manager/controller.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import { byRevision, newRevision, revisionDataOf, textOfRevision } from '../workload/revision-data.ts';
import { podTemplateHash } from '../workload/template-hash.ts';
import { REVISION_HASH } from './daemon-pod.ts';

const { controllerRevisions, daemonSets } = BUILTIN_HANDLES;

export interface History {
  readonly current: ControllerRevision;
  readonly former: readonly ControllerRevision[];
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[REVISION_HASH] ?? '';

export class DaemonHistory {
  readonly #client: ApiClient;
  readonly #revisions: SharedInformer<ControllerRevision>;

  constructor(client: ApiClient, revisions: SharedInformer<ControllerRevision>) {
    this.#client = client;
    this.#revisions = revisions;
  }

  *of(daemonSet: DaemonSet): Process<History> {
    const claimed = yield* this.#claim(daemonSet);
    const { text } = revisionDataOf(templateOf(daemonSet));
    const same = claimed.filter((revision) => textOfRevision(revision) === text);
    const former = claimed.filter((revision) => !same.includes(revision));
    const number = Math.max(0, ...former.map(({ revision }) => revision)) + 1;
    const known = byRevision(same).at(-1);
    if (!known) return { current: yield* this.#make(daemonSet, number), former };
    const current = yield* this.#renumbered(known, number);
    return { current, former: [...former, ...same.filter((revision) => revision !== known)] };
  }

  /** The oldest go, but those of pods that are there. */
  *cleanUp({ spec }: DaemonSet, { former }: History, pods: readonly Pod[]): Process<void> {
    let excess = former.length - (spec?.revisionHistoryLimit ?? 10);
    const live = new Set(pods.map(({ metadata }) => metadata.labels?.[REVISION_HASH]));
    for (const revision of byRevision(former)) {
      if (excess <= 0) return;
      if (live.has(hashOf(revision))) continue;
      const { namespace = '', name = '' } = revision.metadata;
      yield* this.#client.delete(controllerRevisions, { namespace, name });
      excess--;
    }
  }

  #claim(daemonSet: DaemonSet): Process<readonly ControllerRevision[]> {
    const { namespace = '', uid = '' } = daemonSet.metadata;
    const selector = labelSelectorOf(daemonSet.spec?.selector);
    const orphans = this.#revisions.store
      .byIndex('controller', '')
      .filter(({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels));
    return new Claimant({
      client: this.#client,
      controllerHandle: daemonSets,
      controller: daemonSet,
      handle: controllerRevisions,
      isSelected: ({ metadata }) => selector.matches(metadata.labels),
    }).claim([...this.#revisions.store.byIndex('controller', uid), ...orphans]);
  }

  *#renumbered(revision: ControllerRevision, number: number): Process<ControllerRevision> {
    if (revision.revision >= number) return revision;
    return yield* this.#client.update(controllerRevisions, { ...revision, revision: number });
  }

  *#make(daemonSet: DaemonSet, revision: number): Process<ControllerRevision> {
    const { namespace = '', name: setName = '', annotations } = daemonSet.metadata;
    const template = templateOf(daemonSet);
    const hash = podTemplateHash(template, daemonSet.status?.collisionCount);
    const name = `${setName}-${hash}`;
    try {
      return yield* this.#client.create(
        controllerRevisions,
        newRevision({
          name,
          namespace,
          labels: { ...template.metadata?.labels, [REVISION_HASH]: hash },
          annotations,
          owner: ownerReferenceOf({ controllerHandle: daemonSets, controller: daemonSet }),
          data: revisionDataOf(template).data,
          revision,
        }),
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = yield* this.#client.get(controllerRevisions, { namespace, name });
      if (textOfRevision(present) === revisionDataOf(template).text) return present;
      yield* this.#countCollision(daemonSet);
      throw error;
    }
  }

  *#countCollision(daemonSet: DaemonSet): Process<void> {
    const { namespace = '', name = '' } = daemonSet.metadata;
    const present = yield* this.#client.get(daemonSets, { namespace, name });
    const seen = daemonSet.status?.collisionCount ?? 0;
    if ((present.status?.collisionCount ?? 0) !== seen) {
      const message = `found a stale collision count (${seen}) of DaemonSet "${name}" while processing`;
      throw new ApiError({ reason: 'Conflict', message });
    }
    const { status } = present;
    if (!status) return;
    const changed = { ...present, status: { ...status, collisionCount: seen + 1 } };
    yield* this.#client.update(daemonSets, changed, { subresource: 'status' });
  }
}

const NO_TEMPLATE: PodTemplateSpec = {};
const templateOf = ({ spec }: DaemonSet): PodTemplateSpec => spec?.template ?? NO_TEMPLATE;
