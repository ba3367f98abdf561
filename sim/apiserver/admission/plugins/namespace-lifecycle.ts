/**
 * NamespaceLifecycle: nothing is created in a namespace that is missing or on its way out, and the
 * system's own namespaces stay. Specification: "Namespaces".
 */
import { ApiError, forbidden, notFound } from '../../../api/status.ts';
import { PERMANENT_NAMESPACES } from '../../registry/kinds/core/namespace.ts';
import { type AdmissionAttributes, type AdmissionPlugin, shownName } from '../admission.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  handles: (operation, { group, resource }) =>
    operation === 'CREATE' || (operation === 'DELETE' && group === '' && resource === 'namespaces'),
  admit: (attributes) => {
    const { operation, name, resource, namespace } = attributes;
    if (operation === 'DELETE') {
      if (PERMANENT_NAMESPACES.includes(name))
        throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
      return;
    }
    if (!resource.isNamespaced || namespace === '' || resource.resource === 'localsubjectaccessreviews')
      return;
    checkIsOpen(attributes);
  },
};

function checkIsOpen(attributes: AdmissionAttributes): void {
  const { namespace, resource, context } = attributes;
  const present = context.lookup('namespaces', '', namespace);
  if (!present) throw notFound(NAMESPACES, namespace);
  if (present.metadata.deletionTimestamp === undefined) return;
  const refused = forbidden(
    resource,
    shownName(attributes),
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const { reason, message, details } = refused.status;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw new ApiError({
    reason: reason ?? 'Forbidden',
    message: message ?? '',
    details: { ...details, causes: [cause] },
  });
}
