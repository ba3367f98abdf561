/**
 * The course of a pod: which of its containers is to be started when. Sandbox, init containers in order (sidecars go
 * on beside what follows), then the main containers together; ephemeral containers whenever they are asked for.
 */
import type { Container } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import type { Task } from '../../engine/task.ts';
import { milliseconds } from '../../engine/time.ts';
import { keepContainer, runOnce } from './container-keeper.ts';
import { waitingReason } from './container-start.ts';
import {
  ephemeralContainersOf,
  initContainersOf,
  isSidecar,
  mainContainersOf,
  podContainer,
  type Role,
} from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

const SANDBOX_MS = { min: 50, nominal: 200, max: 1_500 };

export class PodCourse {
  readonly #scope: PodScope;
  readonly #tasks: Task<unknown>[] = [];
  #hasSandbox: boolean;

  constructor(scope: PodScope, hasSandbox: boolean) {
    this.#scope = scope;
    this.#hasSandbox = hasSandbox;
  }

  get hasSandbox(): boolean {
    return this.#hasSandbox;
  }

  /** Until the pod has nothing more to do. */
  *run(): Process<void> {
    const scope = this.#scope;
    this.#expectAll();
    if (!this.#hasSandbox) {
      yield* scope.options.mount();
      yield* this.#makeSandbox();
    }
    this.#spawn('ephemeral containers', this.#startEphemeral());
    if (!(yield* this.#initialize())) return;
    yield* scope.context.all(
      mainContainersOf(scope.pod).map((spec) => keepContainer(scope, podContainer('main', spec))),
    );
  }

  /** Nothing more is started. */
  cancel(): void {
    for (const task of this.#tasks) task.cancel();
  }

  #spawn(name: string, process: Process<unknown>): void {
    this.#tasks.push(this.#scope.context.spawn(name, process));
  }

  #expectAll(): void {
    const { pod } = this.#scope;
    this.#expect('init', initContainersOf(pod));
    this.#expect('main', mainContainersOf(pod));
    this.#scope.options.changed();
  }

  #expect(role: Role, containers: readonly Container[]): void {
    const { records } = this.#scope;
    for (const { name } of containers)
      if (!records.get(role, name)) records.wait(role, name, waitingReason(this.#scope));
  }

  *#makeSandbox(): Process<void> {
    const { context, runtime, uid, options, records } = this.#scope;
    const wasThere = [...records.main.values()].some(({ containerId }) => containerId !== '');
    if (wasThere)
      this.#scope.tell('Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    const { min, nominal, max } = SANDBOX_MS;
    yield* runtime.answer(context);
    yield* context.sleep(milliseconds(context.site('sandbox').around(min, nominal, max)));
    runtime.addSandbox(uid, options.podIP);
    this.#hasSandbox = true;
    options.changed();
  }

  /** False: an init container has failed for good. */
  *#initialize(): Process<boolean> {
    const scope = this.#scope;
    const wasInitialized = this.#hasMainContainer();
    for (const spec of initContainersOf(scope.pod)) {
      const container = podContainer('init', spec);
      if (isSidecar(spec)) {
        this.#spawn(`sidecar ${spec.name}`, keepContainer(scope, container));
        if (!wasInitialized) yield* this.#untilStarted(spec);
      } else if ((yield* keepContainer(scope, container)).exitCode !== 0) return false;
    }
    return true;
  }

  /** Found by an agent that has restarted: the pod was initialized long ago. */
  #hasMainContainer(): boolean {
    return [...this.#scope.records.main.values()].some(({ state }) => state.kind !== 'waiting');
  }

  *#untilStarted({ name }: Container): Process<void> {
    const { records } = this.#scope;
    while (records.get('init', name)?.isStarted !== true) yield* records.changes.wait();
  }

  /** They are added to a pod that runs, and each is started once. */
  *#startEphemeral(): Process<void> {
    const scope = this.#scope;
    const begun = new Set<string>();
    for (;;) {
      for (const spec of ephemeralContainersOf(scope.pod)) {
        if (begun.has(spec.name)) continue;
        begun.add(spec.name);
        this.#expect('ephemeral', [spec]);
        if (!scope.records.endOf('ephemeral', spec.name))
          this.#spawn(`ephemeral ${spec.name}`, runOnce(scope, podContainer('ephemeral', spec)));
      }
      yield* scope.changes.wait();
    }
  }
}
