/** What an agent knows of the containers of one pod, by name; it tells of every change. */
import { Signal } from '../../engine/signal.ts';
import type { ContainerRecord, ContainerState, Terminated } from './container-state.ts';
import type { Role } from './pod-containers.ts';

type Records = Map<string, ContainerRecord>;

export class ContainerRecords {
  readonly init: Records = new Map();
  readonly main: Records = new Map();
  readonly ephemeral: Records = new Map();
  /** Fires with every change. */
  readonly changes = new Signal();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Undefined until something has happened to the container. */
  find(name: string): ContainerRecord | undefined {
    return this.main.get(name) ?? this.init.get(name) ?? this.ephemeral.get(name);
  }

  get(role: Role, name: string): ContainerRecord | undefined {
    return this[role].get(name);
  }

  set(role: Role, record: ContainerRecord): void {
    this[role].set(record.name, record);
    this.changes.fire();
    this.#changed();
  }

  /** It waits for its start, or its next one. What ended before stays known as its last end. */
  wait(role: Role, name: string, reason: string, message?: string): void {
    const known = this.get(role, name);
    const state: ContainerState = { kind: 'waiting', reason, ...(message !== undefined && { message }) };
    this.set(role, {
      name,
      state,
      lastTermination: known?.state.kind === 'terminated' ? known.state : known?.lastTermination,
      restartCount: known?.restartCount ?? 0,
      containerId: known?.containerId ?? '',
      imageId: known?.imageId ?? '',
      isStarted: false,
      isReady: false,
    });
  }

  /** Of a container that runs; another's is left as it is. */
  change(role: Role, name: string, change: Partial<ContainerRecord>): void {
    const known = this.get(role, name);
    if (known?.state.kind !== 'running') return;
    const hasNews = Object.entries(change).some(([member, value]) => Reflect.get(known, member) !== value);
    if (hasNews) this.set(role, { ...known, ...change });
  }

  /** How it ended, if it has ended and not been started again. */
  endOf(role: Role, name: string): Terminated | undefined {
    const state = this.get(role, name)?.state;
    return state?.kind === 'terminated' ? state : undefined;
  }
}
