/**
 * AppArmor: annotations of a pod say the same as members of its spec. Of a new pod whichever is there makes the other;
 * in a template they may not contradict each other, and the annotation alone is warned of.
 */
import type { FieldError } from '../../../../api/status.ts';
import type { ObjectMeta } from '../../../../api/object.ts';
import type { AppArmorProfile, Pod, PodSpec } from '../../../../api/types/core-v1.ts';
import { forbidden } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import type { Draft } from '../../strategy.ts';
import { containersOf } from './default-pod-spec.ts';

export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
export const LOCALHOST = 'localhost/';

/** Since then there are members for it, and the annotations are deprecated. */
export const KNOWS_APP_ARMOR = '1.30';

export const oldAnnotationText = (path: FieldPath): string =>
  `${path.text}: deprecated since v${KNOWS_APP_ARMOR}; use the "appArmorProfile" field instead`;

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Where annotation and member contradict each other. `path`: of the spec. */
export function appArmorMatchErrors(
  annotations: ObjectMeta['annotations'],
  spec: PodSpec,
  path: FieldPath,
): readonly FieldError[] {
  if (!annotations || spec.os?.name === 'windows') return [];
  return CONTAINER_LISTS.flatMap((list) =>
    (spec[list] ?? []).flatMap(({ name, securityContext }, at) => {
      const said = annotations[APP_ARMOR + name];
      const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
      if (said === undefined || !profile) return [];
      return contradiction(
        said,
        profile,
        path.child(list).index(at).child('securityContext', 'appArmorProfile'),
      );
    }),
  );
}

function contradiction(said: string, profile: AppArmorProfile, path: FieldPath): readonly FieldError[] {
  const { type, localhostProfile } = profile;
  const isOfType =
    type === 'Localhost'
      ? said.startsWith(LOCALHOST)
      : (type !== 'Unconfined' && type !== 'RuntimeDefault') || said === textOf(profile);
  if (!isOfType) return [forbidden(path.child('type'), 'apparmor type in annotation and field must match')];
  if (type !== 'Localhost' || (localhostProfile !== undefined && said === LOCALHOST + localhostProfile))
    return [];
  return [forbidden(path.child('localhostProfile'), 'apparmor profile in annotation and field must match')];
}

/** Node agents of releases before know the annotations alone; those after know the members. */
export function alignAppArmor({ metadata, spec }: Draft<Pod>, warn: (text: string) => void): void {
  if (!spec || spec.os?.name === 'windows') return;
  const ofPod = spec.securityContext?.appArmorProfile;
  if (
    !ofPod &&
    !metadata.annotations &&
    !spec.containers?.some(hasProfile) &&
    !spec.initContainers?.some(hasProfile)
  )
    return;
  for (const container of containersOf(spec)) {
    const key = `${APP_ARMOR}${container.name ?? ''}`;
    const own = container.securityContext?.appArmorProfile;
    const said = metadata.annotations?.[key];
    if (said !== undefined) {
      const profile = profileOf(said);
      if (own || (profile && isSameProfile(profile, ofPod))) continue;
      warn(oldAnnotationText(FieldPath.of('metadata', 'annotations').key(key)));
      if (profile) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    } else {
      const text = textOf(own ?? ofPod);
      if (text) metadata.annotations = { ...metadata.annotations, [key]: text };
    }
  }
}

interface Confined {
  readonly securityContext?: { readonly appArmorProfile?: unknown };
}

const hasProfile = ({ securityContext }: Confined): boolean => securityContext?.appArmorProfile !== undefined;

const isSameProfile = (left: AppArmorProfile, right: Draft<AppArmorProfile> | undefined): boolean =>
  left.type === right?.type && left.localhostProfile === right.localhostProfile;

function profileOf(text: string): Draft<AppArmorProfile> | undefined {
  if (text === 'runtime/default') return { type: 'RuntimeDefault' };
  if (text === 'unconfined') return { type: 'Unconfined' };
  const isLocal = text.startsWith(LOCALHOST) && text.length > LOCALHOST.length;
  return isLocal ? { type: 'Localhost', localhostProfile: text.slice(LOCALHOST.length) } : undefined;
}

function textOf(profile: Draft<AppArmorProfile> | undefined): string {
  switch (profile?.type) {
    case 'RuntimeDefault':
      return 'runtime/default';
    case 'Unconfined':
      return 'unconfined';
    case 'Localhost':
      return profile.localhostProfile === undefined ? '' : `${LOCALHOST}${profile.localhostProfile}`;
    default:
      return '';
  }
}
