/** DefaultStorageClass and DefaultIngressClass: what names no class gets the one that is marked as default. */
import type { ApiObject } from '../../../api/object.ts';
import type { PersistentVolumeClaim } from '../../../api/types/core-v1.ts';
import type { Ingress } from '../../../api/types/networking-k8s-io-v1.ts';
import { parseTime } from '../../../api/time-format.ts';
import type { Draft } from '../../registry/strategy.ts';
import { IS_DEFAULT_STORAGE } from '../../registry/kinds/storage/storage-class.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';

const IS_DEFAULT_INGRESS = ['ingressclass.kubernetes.io/is-default-class'];
const OLD_STORAGE_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const OLD_INGRESS_ANNOTATION = 'kubernetes.io/ingress.class';

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' && group === '' && resource === 'persistentvolumeclaims' && subresource === '',
  admit: ({ object, context }) => {
    const claim = object as Draft<PersistentVolumeClaim>;
    if (
      claim.spec?.storageClassName !== undefined ||
      claim.metadata.annotations?.[OLD_STORAGE_ANNOTATION] !== undefined
    )
      return;
    const [newest] = newestFirst(
      marked(context.lookupAll('storageclasses.storage.k8s.io', ''), IS_DEFAULT_STORAGE),
    );
    if (newest?.metadata.name !== undefined) (claim.spec ??= {}).storageClassName = newest.metadata.name;
  },
};

export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' && group === 'networking.k8s.io' && resource === 'ingresses' && subresource === '',
  admit: (attributes) => {
    const ingress = attributes.object as Draft<Ingress>;
    if (ingress.spec?.ingressClassName !== undefined) return;
    if (ingress.metadata.annotations?.[OLD_INGRESS_ANNOTATION] !== undefined) return;
    const name = onlyIngressClass(attributes);
    if (name !== undefined) (ingress.spec ??= {}).ingressClassName = name;
  },
};

/** Of several default classes the newest counts; a tie goes to the first name. */
function onlyIngressClass({ context }: AdmissionAttributes): string | undefined {
  return newestFirst(marked(context.lookupAll('ingressclasses.networking.k8s.io', ''), IS_DEFAULT_INGRESS))[0]
    ?.metadata.name;
}

const marked = (classes: readonly ApiObject[], annotations: readonly string[]): ApiObject[] =>
  classes.filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === 'true'));

const newestFirst = (classes: readonly ApiObject[]): ApiObject[] =>
  [...classes].sort(
    (one, other) => createdAt(other) - createdAt(one) || (nameOf(one) < nameOf(other) ? -1 : 1),
  );

const createdAt = ({ metadata }: ApiObject): number =>
  metadata.creationTimestamp ? parseTime(metadata.creationTimestamp).epochSeconds : 0;
const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? '';
