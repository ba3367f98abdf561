/**
 * Annotations of pods and of their templates that mean something: what they may say, and which of them may change.
 */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PodSpec } from '../../../../api/types/core-v1.ts';
import { forbidden, invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import type { Draft } from '../../strategy.ts';
import { tolerationErrors, TOLERATIONS } from './annotated-tolerations.ts';
import { APP_ARMOR, LOCALHOST } from './app-armor.ts';
import { containersOf } from './default-pod-spec.ts';
import { validateDescendingPath } from './validate-paths.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

const NONE: readonly FieldError[] = [];
const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const SECCOMP_PROFILES = ['runtime/default', 'docker/default', 'unconfined'];
const APP_ARMOR_PROFILES = ['', 'runtime/default', 'unconfined'];

export function podAnnotationErrors(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
): readonly FieldError[] {
  if (!annotations) return NONE;
  const errors: FieldError[] = [];
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && !spec.nodeName)
    errors.push(invalid(path.key(MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  const tolerations = annotations[TOLERATIONS];
  if (tolerations) append(errors, tolerationErrors(tolerations, path));
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isCost(cost))
    errors.push(invalid(path.key(DELETION_COST), cost, 'must be a 32bit integer'));
  const profile = annotations[SECCOMP_POD];
  if (profile !== undefined) append(errors, seccompErrors(profile, path.child(SECCOMP_POD)));
  const names = Object.keys(annotations).sort();
  for (const name of names) {
    if (name.startsWith(SECCOMP_CONTAINER))
      append(errors, seccompErrors(annotations[name] ?? '', path.child(name)));
  }
  for (const name of names) {
    if (name.startsWith(APP_ARMOR))
      append(errors, appArmorErrors(name, annotations[name] ?? '', { spec, path: path.key(name) }));
  }
  return errors;
}

const MAX_COST = 2_147_483_647;

/** Written as the shortest text of the number; a zero may have a sign. */
const isCost = (text: string): boolean =>
  /^(?:0|-0|-?[1-9]\d*)$/.test(text) && Number(text) <= MAX_COST && Number(text) >= -MAX_COST - 1;

function seccompErrors(profile: string, path: FieldPath): readonly FieldError[] {
  if (SECCOMP_PROFILES.includes(profile)) return NONE;
  if (profile.startsWith(LOCALHOST)) return validateDescendingPath(profile.slice(LOCALHOST.length), path);
  return [invalid(path, profile, 'must be a valid seccomp profile')];
}

function appArmorErrors(
  annotation: string,
  profile: string,
  { spec, path }: { readonly spec: PodSpec; readonly path: FieldPath },
): readonly FieldError[] {
  const container = annotation.slice(APP_ARMOR.length);
  const errors = containersOf(spec as Draft<PodSpec>).some(({ name }) => name === container)
    ? []
    : [invalid(path, container, 'container not found')];
  if (!APP_ARMOR_PROFILES.includes(profile) && !profile.startsWith(LOCALHOST))
    errors.push(invalid(path, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`));
  return errors;
}

/** Of a pod that is there already: its node has acted upon them. */
export function annotationChangeErrors(
  now: Annotations,
  before: Annotations,
  path: FieldPath,
): readonly FieldError[] {
  if (now === before) return NONE;
  const errors: FieldError[] = [];
  for (const name of Object.keys(before ?? {}).sort()) {
    const what = now?.[name] === before?.[name] ? undefined : fixedKind(name);
    if (what) errors.push(forbidden(path.key(name), `may not remove or update ${what}`));
  }
  for (const name of Object.keys(now ?? {}).sort()) {
    const what = before?.[name] === undefined ? fixedKind(name) : undefined;
    if (what) errors.push(forbidden(path.key(name), `may not add ${what}`));
  }
  return errors;
}

function fixedKind(name: string): string | undefined {
  if (name.startsWith(APP_ARMOR)) return 'AppArmor annotations';
  return name === MIRROR ? 'mirror pod annotation' : undefined;
}
