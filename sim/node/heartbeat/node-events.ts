/**
 * What an agent tells of its own node by Events, in Kubernetes' words: conditions that have changed since they were
 * told, cordons, reboots. The first conditions of a node are no news.
 */
import type { Node, NodeCondition, NodeStatus } from '../../api/types/core-v1.ts';
import type { EventFacts } from '../../client/event-facts.ts';

/** By type of condition: the reasons when it becomes true, and when it becomes false. */
const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
  Ready: ['NodeReady', 'NodeNotReady'],
};

export class NodeEvents {
  readonly #name: string;
  readonly #tell: (facts: EventFacts) => void;
  #isCordoned = false;

  constructor(name: string, tell: (facts: EventFacts) => void) {
    this.#name = name;
    this.#tell = tell;
  }

  /** A status was told: `before` is what the Node said, `told` what it says now. */
  told(before: NodeStatus | undefined, told: NodeStatus): void {
    const bootID = before?.nodeInfo?.bootID;
    const now = told.nodeInfo?.bootID;
    if (bootID && now !== undefined && bootID !== now) {
      const message = `Node ${this.#name} has been rebooted, boot id: ${now}`;
      this.#tell({ type: 'Warning', reason: 'Rebooted', message });
    }
    for (const reason of changes(before?.conditions ?? [], told.conditions ?? [])) this.#status(reason);
  }

  /** The Node as the agent sees it. */
  see({ spec }: Node): void {
    const isCordoned = spec?.unschedulable === true;
    if (isCordoned === this.#isCordoned) return;
    this.#isCordoned = isCordoned;
    this.#status(isCordoned ? 'NodeNotSchedulable' : 'NodeSchedulable');
  }

  #status(reason: string): void {
    this.#tell({ type: 'Normal', reason, message: `Node ${this.#name} status is now: ${reason}` });
  }
}

function changes(before: readonly NodeCondition[], told: readonly NodeCondition[]): readonly string[] {
  return told.flatMap(({ type, status }) => {
    const old = before.find((condition) => condition.type === type);
    const [isTrue, isFalse] = REASONS[type] ?? [];
    if (!old || old.status === status || isTrue === undefined || isFalse === undefined) return [];
    return [status === 'True' ? isTrue : isFalse];
  });
}
