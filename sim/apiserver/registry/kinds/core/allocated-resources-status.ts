/** What an agent says of the health of devices, container by container: only of resources that a container asks for. */
import { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../../../../api/types/core-v1.ts';
import { duplicate, forbidden, invalid, notSupported } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';

const STATUS = FieldPath.of('status');
const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const NONE: readonly FieldError[] = [];

type Reported = NonNullable<ContainerStatus['allocatedResourcesStatus']>[number];

export const validateAllocatedResources = (
  status: PodStatus,
  { containers = [], initContainers = [] }: Partial<PodSpec> = {},
): readonly FieldError[] => [
  ...listErrors(status.containerStatuses, 'containerStatuses', containers),
  ...listErrors(status.initContainerStatuses, 'initContainerStatuses', initContainers),
  ...(status.ephemeralContainerStatuses ?? []).flatMap(({ allocatedResourcesStatus = [] }, at) =>
    allocatedResourcesStatus.length === 0
      ? NONE
      : [
          forbidden(
            STATUS.child('ephemeralContainerStatuses').index(at).child('allocatedResourcesStatus'),
            'must not be specified in container status',
          ),
        ],
  ),
];

function listErrors(
  statuses: readonly ContainerStatus[] = [],
  list: string,
  containers: readonly Container[],
): readonly FieldError[] {
  return statuses.flatMap(({ name, allocatedResourcesStatus = [] }, at) => {
    const path = STATUS.child(list).index(at).child('allocatedResourcesStatus');
    const container = containers.find((each) => each.name === name);
    return allocatedResourcesStatus.flatMap((reported, index) =>
      reportErrors(reported, path.index(index), container),
    );
  });
}

/** Of a container that nobody knows, nothing is known of its resources either. */
function reportErrors(
  { name, resources = [] }: Reported,
  path: FieldPath,
  container: Container | undefined,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { requests = {}, limits = {} } = container?.resources ?? {};
  if (container && !Object.hasOwn(requests, name) && !Object.hasOwn(limits, name)) {
    const why = "must match one of the container's resource requirements";
    errors.push(invalid(path.child('name'), new GoSyntax(name, JSON.stringify(name)), why));
  }
  const seen = new Set<string>();
  for (const [at, { resourceID, health = '' }] of resources.entries()) {
    const own = path.child('resources').index(at);
    if (!HEALTH.includes(health)) errors.push(notSupported(own.child('health'), health, HEALTH));
    if (seen.has(resourceID)) errors.push(duplicate(own.child('resourceID'), resourceID));
    seen.add(resourceID);
  }
  return errors;
}
