/** Makes and deletes the pods of a workload, and tells of it by Events about the workload. */
import type { ApiObject, ObjectMeta, OwnerReference } from '../../api/object.ts';
import { ApiError } from '../../api/status.ts';
import type { Pod, PodSpec, PodTemplateSpec } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { Process } from '../../engine/process.ts';

const { pods } = BUILTIN_HANDLES;

export interface PodControlOptions {
  readonly client: ApiClient;
  readonly events: EventRecorder;
}

export class PodControl {
  readonly #client: ApiClient;
  readonly #events: EventRecorder;

  constructor({ client, events }: PodControlOptions) {
    this.#client = client;
    this.#events = events;
  }

  /** `owner` with its kind: items of lists do not say theirs. @throws CallFailure */
  *create(owner: ApiObject, pod: PodDraft): Process<Pod> {
    try {
      const created = yield* this.#client.create(pods, pod);
      this.#tell(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name ?? ''}`);
      return created;
    } catch (error) {
      if (isCallFailure(error) && !isNamespaceEnding(error))
        this.#tell(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  /** @throws CallFailure NotFound too */
  *delete(owner: ApiObject, { metadata: { name = '', namespace = '' } }: Pod): Process<void> {
    try {
      yield* this.#client.delete(pods, { name, namespace });
      this.#tell(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      if (isCallFailure(error) && !isNotFound(error))
        this.#tell(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
      throw error;
    }
  }

  #tell(owner: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record(owner, { type, reason, message });
  }
}

/** A pod that is to be made. */
export interface PodDraft {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
  readonly [member: string]: unknown;
}

/** A pod as the template wants it, named by the server: `prefix-xxxxx`. */
export function podFromTemplate(
  template: PodTemplateSpec | undefined,
  {
    namespace,
    prefix,
    owner,
  }: { readonly namespace: string; readonly prefix: string; readonly owner: OwnerReference },
): PodDraft {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      namespace,
      generateName: `${prefix}-`,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [owner],
    },
    ...(template?.spec && { spec: template.spec }),
  };
}

/** Nothing can be made in the namespace any more. */
export const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
