/**
 * An object that the server keeps in its own name: made where it is not there, written where it is not as it should be,
 * and its fields noted as the server's from its first version on. It refuses to know what the object says.
 */
import type { ApiObject } from '../../api/object.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Machinery } from '../machinery.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { StoreView } from '../request/server-view.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import { ownFieldsOf } from './own-status.ts';

export interface OwnObjectHost extends StoreView {
  readonly machinery: Pick<Machinery, 'applies' | 'notesEveryOwner'>;
  readonly surroundings: Pick<ApiServerSurroundings, 'wallMs' | 'uuid'>;
}

export interface OwnObject {
  /** As in `endpointslices.discovery.k8s.io`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** What the object is to be, by what it is. */
  restored(old: ApiObject | undefined): ApiObject;
  /** What the server asks for of a new one; the rest it is given like anybody. Default: all of it. */
  readonly asked?: (made: ApiObject) => ApiObject;
}

/** As it is then; undefined: the resource is not served, or somebody has just written it. */
export function keepOwnObject(host: OwnObjectHost, own: OwnObject): ApiObject | undefined {
  const resource = host.registry.findByText(own.resource);
  if (!resource) return undefined;
  const store = host.storeOf(resource);
  const key = store.key(own.namespace, own.name);
  const old = store.get(key);
  if (!old) {
    const whole = stored(resource, made(host, resource, own));
    return store.create(key, (revision) => atRevision(whole, revision));
  }
  const next = stored(resource, asNext(old.value, own.restored(old.value)));
  if (isEqualJson(next, old.value)) return old.value;
  const whole = stored(resource, ownFieldsOf(writeBy(host, resource), old.value, next));
  return store.replace(key, old.modRevision, (revision) => atRevision(whole, revision));
}

const writeBy = ({ surroundings }: OwnObjectHost, resource: Resource) =>
  ({ resource, now: formatTime(surroundings.wallMs()), subresource: '' }) as const;

function made(host: OwnObjectHost, resource: Resource, own: OwnObject): DraftObject | ApiObject {
  const { machinery, surroundings } = host;
  const object = own.restored(undefined);
  const write = writeBy(host, resource);
  const isNoted = machinery.applies && machinery.notesEveryOwner;
  const noted = isNoted && ownFieldsOf(write, undefined, own.asked?.(object) ?? object);
  const { managedFields } = noted ? noted.metadata : {};
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: surroundings.uuid(),
      creationTimestamp: write.now,
      ...(managedFields && { managedFields }),
    },
  };
}

/** The same object in its next form; the generation moves with what is not metadata, where there is one. */
function asNext(old: ApiObject, next: ApiObject): ApiObject {
  const { uid, creationTimestamp, resourceVersion, generation, managedFields } = old.metadata;
  const isSame = isEqualJson({ ...next, metadata: {} }, { ...old, metadata: {} });
  return {
    ...next,
    metadata: {
      ...next.metadata,
      ...(uid !== undefined && { uid }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation: isSame ? generation : generation + 1 }),
      ...(managedFields !== undefined && { managedFields }),
    },
  };
}
