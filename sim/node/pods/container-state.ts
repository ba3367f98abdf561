/** What a node agent knows of one container of a pod: what it does now, what it did last. */
export interface Running {
  readonly kind: 'running';
  readonly startedAt: string;
}

export interface Waiting {
  readonly kind: 'waiting';
  /** `ContainerCreating`, `PodInitializing`, `CrashLoopBackOff`, `ImagePullBackOff`, … */
  readonly reason: string;
  readonly message?: string;
}

export interface Terminated {
  readonly kind: 'terminated';
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly containerId: string;
}

export type ContainerState = Running | Waiting | Terminated;

export interface ContainerRecord {
  readonly name: string;
  readonly state: ContainerState;
  readonly lastTermination: Terminated | undefined;
  readonly restartCount: number;
  readonly containerId: string;
  readonly imageId: string;
  /** The startup probe has succeeded, or there is none. */
  readonly isStarted: boolean;
  readonly isReady: boolean;
}
