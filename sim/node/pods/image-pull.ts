/**
 * The image of a container: there already, or pulled, or waited for longer and longer. One call is one
 * look; who wants to try again waits as long as it says.
 */
import type { Process } from '../../engine/process.ts';
import { imageNameProblem } from '../runtime/image-reference.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';
import { durationText } from './duration-text.ts';
import type { PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

export type ImageOutcome =
  | { readonly kind: 'present' }
  /** `isLasting`: no pause makes it better, so none grows. */
  | { readonly kind: 'missing'; readonly isLasting: boolean };

const PRESENT: ImageOutcome = { kind: 'present' };

export function* ensureImage(
  scope: PodScope,
  container: PodContainer,
  behaviour: WorkloadBehaviour,
): Process<ImageOutcome> {
  const { image = '', imagePullPolicy } = container.spec;
  const quoted = JSON.stringify(image);
  const problem = imageNameProblem(image);
  if (problem !== undefined) {
    const message = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${problem}`;
    scope.tellOf(container, 'Warning', 'InspectFailed', message);
    return missing(scope, container, 'InvalidImageName', message);
  }
  if (imagePullPolicy !== 'Always' && scope.runtime.hasImage(image)) {
    scope.tellOf(container, 'Normal', 'Pulled', `Container image ${quoted} already present on machine`);
    return PRESENT;
  }
  if (imagePullPolicy === 'Never') {
    const message = `Container image ${quoted} is not present with pull policy of Never`;
    scope.tellOf(container, 'Warning', 'ErrImageNeverPull', message);
    return missing(scope, container, 'ErrImageNeverPull', message);
  }
  scope.tellOf(container, 'Normal', 'Pulling', `Pulling image ${quoted}`);
  const result = yield* scope.runtime.pull(scope.context, image, behaviour);
  if (result.kind === 'failed') {
    scope.tellOf(container, 'Warning', 'Failed', `Failed to pull image ${quoted}: ${result.message}`);
    return missing(scope, container, 'ErrImagePull', result.message);
  }
  const { tookMs, waitedMs, sizeBytes } = result;
  scope.tellOf(
    container,
    'Normal',
    'Pulled',
    `Successfully pulled image ${quoted} in ${durationText(tookMs)} (${durationText(tookMs + waitedMs)} including waiting). Image size: ${sizeBytes} bytes.`,
  );
  return PRESENT;
}

/** The next try is not due yet. */
export function backOffFromPull(scope: PodScope, container: PodContainer): void {
  const message = `Back-off pulling image ${JSON.stringify(container.spec.image ?? '')}`;
  scope.tellOf(container, 'Normal', 'BackOff', message);
  missing(scope, container, 'ImagePullBackOff', message);
}

function missing(scope: PodScope, container: PodContainer, reason: string, message: string): ImageOutcome {
  scope.tellOf(container, 'Warning', 'Failed', `Error: ${reason}`);
  scope.records.wait(container.role, container.spec.name, reason, message);
  return { kind: 'missing', isLasting: reason !== 'ErrImagePull' };
}
