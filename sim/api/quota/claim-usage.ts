/** Claims of volumes are counted by number and by storage, each also by storage class. */
import { parseQuantity, type Quantity, quantityOf } from '../quantity.ts';
import type { PersistentVolumeClaim } from '../types/core-v1.ts';
import type { UsageRule } from './usage-rule.ts';

const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const claimRule: UsageRule = {
  countsUpdates: true,
  tracks: (name) =>
    name === CLAIMS ||
    name === STORAGE ||
    name === `count/${CLAIMS}` ||
    name.endsWith(OF_CLASS + CLAIMS) ||
    name.endsWith(OF_CLASS + STORAGE),
  frees: (object, old) => storageOf(object) !== storageOf(old),
  usageOf: (object) => {
    const { metadata, spec }: PersistentVolumeClaim = object;
    const className = metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
    const storage = storageOf(object);
    const usage = new Map<string, Quantity>([[`count/${CLAIMS}`, quantityOf(1)]]);
    const add = (name: string, amount: Quantity): void => {
      usage.set(name, amount);
      if (className !== '') usage.set(className + OF_CLASS + name, amount);
    };
    add(CLAIMS, quantityOf(1));
    if (storage !== undefined) add(STORAGE, parseQuantity(storage));
    return usage;
  },
};

const storageOf = ({ spec }: PersistentVolumeClaim): string | undefined =>
  spec?.resources?.requests?.['storage'];
