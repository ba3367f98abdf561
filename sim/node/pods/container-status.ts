/** The status of a container as the API shows it, out of its record. Pure. */
import type { Container, ContainerStatus, VolumeMountStatus } from '../../api/types/core-v1.ts';
import { assertNever } from '../../engine/invariant.ts';
import { fullImageName } from '../runtime/image-name.ts';
import type { ContainerRecord, ContainerState, Terminated } from './container-state.ts';
import { isSidecar, type Role } from './pod-containers.ts';

/** What the pod as a whole means for the containers in it. */
export interface PodStanding {
  readonly isOver: boolean;
  /** Its main containers were to run. */
  readonly wasInitialized: boolean;
}

export function containerStatusOf(
  role: Role,
  container: Container,
  record: ContainerRecord,
  standing: PodStanding,
): ContainerStatus {
  const { state, lastTermination } = lastWord(role, record, standing);
  const { containerId } = record;
  return {
    name: record.name,
    state: stateBody(state),
    lastState: lastTermination ? stateBody(lastTermination) : {},
    ready: isReady(role, container, record),
    restartCount: record.restartCount,
    image: record.imageId ? fullImageName(container.image ?? '') : (container.image ?? ''),
    imageID: record.imageId,
    ...(containerId && { containerID: `kubesim://${containerId}` }),
    ...(role !== 'ephemeral' && { started: record.isStarted }),
    ...(container.volumeMounts?.length && record.imageId && { volumeMounts: mountsOf(container) }),
  };
}

/** Init containers are ready when they have done what they were to do. */
function isReady(
  role: Role,
  container: Container,
  { state, isReady: isSaidReady }: ContainerRecord,
): boolean {
  if (role === 'init' && !isSidecar(container)) return state.kind === 'terminated' && state.exitCode === 0;
  return role !== 'ephemeral' && isSaidReady;
}

/** In a pod that is over nothing waits: what ended before its next start has ended for good. */
function lastWord(
  role: Role,
  { state, lastTermination }: ContainerRecord,
  { isOver, wasInitialized }: PodStanding,
): Pick<ContainerRecord, 'state' | 'lastTermination'> {
  if (!isOver || state.kind === 'terminated') return { state, lastTermination };
  if (lastTermination) return { state: lastTermination, lastTermination: undefined };
  if (role === 'ephemeral' || !wasInitialized) return { state, lastTermination };
  return { state: LOST, lastTermination };
}

const LOST: Terminated = {
  kind: 'terminated',
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
  startedAt: '',
  finishedAt: '',
  containerId: '',
};

function stateBody(state: ContainerState) {
  switch (state.kind) {
    case 'running':
      return { running: { startedAt: state.startedAt } };
    case 'waiting':
      return { waiting: { reason: state.reason, ...(state.message && { message: state.message }) } };
    case 'terminated':
      return { terminated: terminatedBody(state) };
    default:
      return assertNever(state, 'container state');
  }
}

const terminatedBody = ({ exitCode, reason, message, startedAt, finishedAt, containerId }: Terminated) => ({
  exitCode,
  reason,
  ...(message !== undefined && { message }),
  ...(startedAt && { startedAt }),
  ...(finishedAt && { finishedAt }),
  ...(containerId && { containerID: `kubesim://${containerId}` }),
});

function mountsOf({ volumeMounts = [] }: Container): readonly VolumeMountStatus[] {
  return volumeMounts.map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly === true && { readOnly, recursiveReadOnly: 'Disabled' }),
  }));
}
