/**
 * Which findings of a kind's rules count here. Kinds judge as on a server that permits nothing (`--allow-privileged`), and
 * tell what only some releases object to.
 */
import { isReleasedBy, type Release } from '../../api/release/release.ts';
import { type Gated, hasFeature } from '../machinery.ts';
import type { ApiObject } from '../../api/object.ts';
import type { NameCheck } from '../../api/validation/names.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { FieldError } from '../../api/status.ts';

/** As kinds refuse a privileged container. */
const PRIVILEGED = { member: '.securityContext.privileged', detail: 'disallowed by cluster policy' };

/** The errors without those that say no more than that a container is privileged, or that are of other servers. */
export function permitted(
  errors: readonly FieldError[],
  server: Gated & { readonly allowsPrivileged: boolean },
): readonly FieldError[] {
  if (errors.length === 0) return errors;
  const isPermitted = (error: FieldError): boolean => server.allowsPrivileged && isOfPrivilege(error);
  return errors.filter(
    (error) => !isPermitted(error) && isOfRelease(error, server.release) && isOfGates(error, server),
  );
}

/** How the release wants an object to be named. */
export const nameCheckFor = (
  { nameCheck, nameCheckOf, laterNameCheck }: Strategy,
  object: ApiObject,
  release: Release,
): NameCheck =>
  laterNameCheck && isReleasedBy(release, laterNameCheck.since)
    ? laterNameCheck.check
    : (nameCheckOf?.(object) ?? nameCheck);

const isOfPrivilege = ({ field, message }: FieldError): boolean =>
  field.endsWith(PRIVILEGED.member) && message.endsWith(PRIVILEGED.detail);

const isOfGates = ({ gates }: FieldError, server: Gated): boolean =>
  gates === undefined || Object.entries(gates).every(([gate, isOn]) => hasFeature(server, gate) === isOn);

const isOfRelease = ({ since, until }: FieldError, release: Release): boolean =>
  (since === undefined || isReleasedBy(release, since)) &&
  (until === undefined || !isReleasedBy(release, until));
