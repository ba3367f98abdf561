/** Who the containers of a pod run as, as its agent says. */
import type { FieldError } from '../../../../api/status.ts';
import type { ContainerStatus, PodSpec, PodStatus } from '../../../../api/types/core-v1.ts';
import { forbidden } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateId } from '../pod-spec/validate-security.ts';

const STATUS = FieldPath.of('status');
const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const NONE: readonly FieldError[] = [];

type List = (typeof LISTS)[number];

/** Of one list of statuses. The server leaves `user` out of the paths. */
export function validateContainerUsers(
  status: PodStatus,
  list: List,
  os: PodSpec['os'],
): readonly FieldError[] {
  return (status[list] ?? []).flatMap(({ user }, at) => {
    const path = STATUS.child(list).index(at).child('linux');
    if (!user?.linux) return NONE;
    if (os?.name === 'windows') return [forbidden(path, 'cannot be set for a windows pod')];
    return os && os.name !== 'linux' ? NONE : linuxErrors(user.linux, path);
  });
}

type LinuxUser = NonNullable<NonNullable<ContainerStatus['user']>['linux']>;

const linuxErrors = (
  { uid, gid, supplementalGroups = [] }: Partial<LinuxUser>,
  path: FieldPath,
): readonly FieldError[] => [
  ...validateId(uid, path.child('uid')),
  ...validateId(gid, path.child('gid')),
  ...supplementalGroups.flatMap((group, at) => validateId(group, path.child('supplementalGroups').index(at))),
];
