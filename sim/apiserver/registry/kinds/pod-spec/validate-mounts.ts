/** Rules of the places where a container sees volumes: mounts and raw devices. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { EphemeralContainer, Volume, VolumeMount } from '../../../../api/types/core-v1.ts';
import {
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateDescendingPath } from './validate-paths.ts';

export type Volumes = ReadonlyMap<string, Volume>;

const NONE: readonly FieldError[] = [];
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

export function validateMounts(
  container: EphemeralContainer,
  volumes: Volumes,
  path: FieldPath,
): readonly FieldError[] {
  const { volumeMounts, volumeDevices = [] } = container;
  if (!volumeMounts) return NONE;
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  volumeMounts.forEach((mount, at) => {
    const own = path.index(at);
    const { name, mountPath } = mount;
    if (!name) errors.push(required(own.child('name')));
    if (!volumes.has(name)) errors.push(notFoundValue(own.child('name'), name));
    if (!mountPath) errors.push(required(own.child('mountPath')));
    if (taken.has(mountPath)) errors.push(invalid(own.child('mountPath'), mountPath, 'must be unique'));
    taken.add(mountPath);
    if (volumeDevices.some((device) => device.name === name)) {
      errors.push(invalid(own.child('name'), name, 'must not already exist in volumeDevices'));
    }
    if (volumeDevices.some((device) => device.devicePath === mountPath)) {
      errors.push(
        invalid(own.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'),
      );
    }
    append(errors, [...validateSubPaths(mount, path, own), ...validatePropagation(mount, container, path)]);
  });
  return errors;
}

function validateSubPaths(
  { subPath, subPathExpr }: VolumeMount,
  list: FieldPath,
  own: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (subPath) append(errors, validateDescendingPath(subPath, list.child('subPath')));
  if (subPathExpr) {
    if (subPath) {
      errors.push(
        invalid(own.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
      );
    }
    append(errors, validateDescendingPath(subPathExpr, list.child('subPathExpr')));
  }
  return errors;
}

function validatePropagation(
  mount: VolumeMount,
  { securityContext }: EphemeralContainer,
  path: FieldPath,
): readonly FieldError[] {
  const { mountPropagation, recursiveReadOnly, readOnly } = mount;
  const errors: FieldError[] = [];
  if (mountPropagation !== undefined) {
    const own = path.child('mountPropagation');
    if (!PROPAGATIONS.includes(mountPropagation))
      errors.push(notSupported(own, mountPropagation, PROPAGATIONS));
    if (mountPropagation === 'Bidirectional' && securityContext?.privileged !== true) {
      errors.push(
        forbidden(own, 'Bidirectional mount propagation is available only to privileged containers'),
      );
    }
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return errors;
  const own = path.child('recursiveReadOnly');
  if (!RECURSIVE.includes(recursiveReadOnly))
    return [...errors, notSupported(own, recursiveReadOnly, RECURSIVE)];
  if (readOnly !== true) errors.push(forbidden(own, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    errors.push(forbidden(own, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

export function validateDevices(
  container: EphemeralContainer,
  volumes: Volumes,
  path: FieldPath,
): readonly FieldError[] {
  const { volumeMounts = [], volumeDevices } = container;
  if (!volumeDevices) return NONE;
  const names = new Set<string>();
  const paths = new Set<string>();
  return volumeDevices.flatMap(({ name, devicePath }, at) => {
    const own = path.index(at);
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (!name) errors.push(required(own.child('name')));
    if (names.has(name)) errors.push(invalid(own.child('name'), name, 'must be unique'));
    if (name) names.add(name);
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid(own.child('name'), name, why));
    }
    if (!volume) errors.push(notFoundValue(own.child('name'), name));
    if (!devicePath) errors.push(required(own.child('devicePath')));
    if (paths.has(devicePath)) errors.push(invalid(own.child('devicePath'), devicePath, 'must be unique'));
    if (devicePath?.split('/').includes('..')) {
      errors.push(invalid(own.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
    } else {
      paths.add(devicePath);
    }
    if (volumeMounts.some((mount) => mount.name === name)) {
      errors.push(invalid(own.child('name'), name, 'must not already exist in volumeMounts'));
    }
    if (volumeMounts.some((mount) => mount.mountPath === devicePath)) {
      errors.push(
        invalid(own.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'),
      );
    }
    return errors;
  });
}
