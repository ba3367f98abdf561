/**
 * The ControllerRevisions of a StatefulSet: which one its pods are of, which one they are to become, and the former ones
 * that may go.
 */
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { ControllerRevision, StatefulSet } from '../../api/types/apps-v1.ts';
import type { Pod, PodTemplateSpec } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant, ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import type { Process } from '../../engine/process.ts';
import type { SharedInformer } from '../manager/controller.ts';
import { byRevision, newRevision, revisionDataOf, textOfRevision } from '../workload/revision-data.ts';
import { revisionHash } from '../workload/template-hash.ts';
import { revisionOf } from './stateful-pod.ts';

const { controllerRevisions, statefulSets } = BUILTIN_HANDLES;
const HASH_LABEL = 'controller.kubernetes.io/hash';

export interface StatefulHistory {
  /** As they were before this pass, the oldest first. */
  readonly all: readonly ControllerRevision[];
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

const NO_TEMPLATE: PodTemplateSpec = {};
const templateOf = ({ spec }: StatefulSet): PodTemplateSpec => spec?.template ?? NO_TEMPLATE;
const nameOf = ({ metadata }: ControllerRevision): string => metadata.name ?? '';

export class StatefulHistories {
  readonly #client: ApiClient;
  readonly #revisions: SharedInformer<ControllerRevision>;

  constructor(client: ApiClient, revisions: SharedInformer<ControllerRevision>) {
    this.#client = client;
    this.#revisions = revisions;
  }

  /** Those that nobody controls any more, as after a deletion that orphaned them. */
  *adoptOrphans(set: StatefulSet): Process<void> {
    const orphans = this.#revisionsOf(set).filter((revision) => !controllerOf(revision));
    if (orphans.length === 0) return;
    yield* new Claimant({
      client: this.#client,
      controllerHandle: statefulSets,
      controller: set,
      handle: controllerRevisions,
      isSelected: () => true,
    }).claim(orphans);
  }

  *of(set: StatefulSet): Process<StatefulHistory> {
    const all = byRevision(this.#revisionsOf(set));
    const { text } = revisionDataOf(templateOf(set));
    const number = (all.at(-1)?.revision ?? 0) + 1;
    const equal = all.filter((revision) => textOfRevision(revision) === text).at(-1);
    const seen = set.status?.collisionCount ?? 0;
    const { update, collisionCount } = equal
      ? { update: yield* this.#renumbered(equal, all, number), collisionCount: seen }
      : yield* this.#make(set, number, seen);
    const current = all.find((revision) => nameOf(revision) === set.status?.currentRevision) ?? update;
    return { all, current, update, collisionCount };
  }

  /** The oldest that no pod is of go, as many as are beyond the limit. */
  *cleanUp(
    { spec }: StatefulSet,
    { all, current, update }: StatefulHistory,
    pods: readonly Pod[],
  ): Process<void> {
    const live = new Set([nameOf(current), nameOf(update), ...pods.map(revisionOf)]);
    const former = all.filter((revision) => !live.has(nameOf(revision)));
    const excess = former.length - (spec?.revisionHistoryLimit ?? 10);
    for (const { metadata } of former.slice(0, Math.max(0, excess))) {
      const { namespace = '', name = '' } = metadata;
      try {
        yield* this.#client.delete(controllerRevisions, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  #revisionsOf(set: StatefulSet): readonly ControllerRevision[] {
    const { namespace = '', uid = '' } = set.metadata;
    const selector = labelSelectorOf(set.spec?.selector);
    const { store } = this.#revisions;
    return [...store.byIndex('controller', uid), ...store.byIndex('controller', '')].filter(
      ({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels),
    );
  }

  /** The last one says that it is the last. */
  *#renumbered(
    revision: ControllerRevision,
    all: readonly ControllerRevision[],
    number: number,
  ): Process<ControllerRevision> {
    if (revision === all.at(-1)) return revision;
    return yield* this.#client.update(controllerRevisions, { ...revision, revision: number });
  }

  *#make(
    set: StatefulSet,
    revision: number,
    collisions: number,
  ): Process<{ update: ControllerRevision; collisionCount: number }> {
    const { namespace = '', name: setName = '', annotations } = set.metadata;
    const template = templateOf(set);
    const { data, text } = revisionDataOf(template);
    const owner = ownerReferenceOf({ controllerHandle: statefulSets, controller: set });
    // The label says the hash without the collisions of this pass.
    const labels = { ...template.metadata?.labels, [HASH_LABEL]: revisionHash(text, collisions) };
    for (let collisionCount = collisions; ; collisionCount++) {
      const name = `${setName}-${revisionHash(text, collisionCount)}`;
      try {
        const facts = { name, namespace, labels, annotations, owner, data, revision };
        return {
          update: yield* this.#client.create(controllerRevisions, newRevision(facts)),
          collisionCount,
        };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const present = yield* this.#client.get(controllerRevisions, { namespace, name });
        if (textOfRevision(present) === text) return { update: present, collisionCount };
      }
    }
  }
}
