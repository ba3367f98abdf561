/**
 * Tells in the status of each FlowSchema whether its priority level is there, as every server does by itself: it looks
 * when one of either kind was written, and applies the condition where it says something else.
 * Specification: "Endpoints" (not shown: Kubernetes' API priority and fairness).
 */
import type { Process } from '../../engine/process.ts';
import type { StorageWatch } from '../../storage/storage.ts';
import { formatTime } from '../../api/time-format.ts';
import type { FlowSchema } from '../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import { ownRequest } from '../request/own-request.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import type { PolicyHost } from '../admission/policies/policy-source.ts';
import { DANGLING_MANAGER, danglingCondition } from './dangling-condition.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';

/** What of a server it needs. */
export interface DanglingHost extends Pick<PolicyHost, 'registry' | 'storage'> {
  readonly surroundings: {
    wallMs(): number;
    after(ms: number, run: () => void): () => void;
    start(process: Process<void>): () => void;
  };
  handle(request: ApiRequest): Process<ApiResponse>;
}

export class DanglingSchemas {
  readonly #watches: StorageWatch[] = [];
  #cancel: (() => void) | undefined;

  /** From now on it hears of writes; what was there before was told by whoever wrote it. */
  start(host: DanglingHost): void {
    for (const resource of ['flowschemas', 'prioritylevelconfigurations']) {
      const prefix = prefixOf(host, resource);
      if (prefix === undefined) continue;
      this.#watches.push(host.storage.watch({ prefix, onEvents: () => this.#schedule(host) }));
    }
  }

  close(): void {
    for (const watch of this.#watches.splice(0)) watch.close();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(host: DanglingHost): void {
    this.#cancel ??= host.surroundings.after(0, () => {
      this.#cancel = undefined;
      for (const request of corrections(host)) host.surroundings.start(sent(host, request));
    });
  }
}

/** Somebody else may be faster: whoever writes causes another look. */
function* sent(host: DanglingHost, request: ApiRequest): Process<void> {
  yield* host.handle(request);
}

function corrections(host: DanglingHost): readonly ApiRequest[] {
  const levels = new Set(valuesOf(host, 'prioritylevelconfigurations').map(({ metadata }) => metadata.name));
  return valuesOf(host, 'flowschemas').flatMap((schema) => {
    const { spec, status, metadata } = schema;
    const level = spec?.priorityLevelConfiguration?.name ?? '';
    const wanted = danglingCondition(level, levels.has(level));
    const present = status?.conditions?.find(({ type }) => type === wanted.type);
    const says = (name: 'status' | 'reason' | 'message'): boolean => present?.[name] === wanted[name];
    if (says('status') && says('reason') && says('message')) return [];
    const since = says('status') ? present?.lastTransitionTime : undefined;
    const lastTransitionTime = since ?? formatTime(host.surroundings.wallMs());
    return [application(metadata.name ?? '', { ...wanted, lastTransitionTime })];
  });
}

const application = (name: string, condition: object): ApiRequest =>
  ownRequest({
    method: 'PATCH',
    path: `/apis/${GROUP}/v1/flowschemas/${name}/status`,
    query: `fieldManager=${DANGLING_MANAGER}&force=true`,
    contentType: 'application/apply-patch+yaml',
    object: {
      apiVersion: `${GROUP}/v1`,
      kind: 'FlowSchema',
      metadata: { name },
      status: { conditions: [condition] },
    },
  });

const prefixOf = ({ registry }: DanglingHost, resource: string): string | undefined =>
  registry.findByText(`${resource}.${GROUP}`)?.storagePrefix;

function valuesOf(host: DanglingHost, resource: string): readonly FlowSchema[] {
  const prefix = prefixOf(host, resource);
  return prefix === undefined
    ? []
    : host.storage.range({ prefix }).entries.map(({ value }) => value as FlowSchema);
}
