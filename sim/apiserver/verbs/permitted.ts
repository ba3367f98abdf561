/** What whoever runs the server permits (`--allow-privileged`). Kinds judge as on a server that permits nothing. */
import type { FieldError } from '../../api/status.ts';

/** As kinds refuse a privileged container. */
const PRIVILEGED = { member: '.securityContext.privileged', detail: 'disallowed by cluster policy' };

/** The errors without those that say no more than that a container is privileged. */
export function permitted(
  errors: readonly FieldError[],
  { allowsPrivileged }: { readonly allowsPrivileged: boolean },
): readonly FieldError[] {
  return allowsPrivileged && errors.length > 0 ? errors.filter((error) => !isOfPrivilege(error)) : errors;
}

const isOfPrivilege = ({ field, message }: FieldError): boolean =>
  field.endsWith(PRIVILEGED.member) && message.endsWith(PRIVILEGED.detail);
