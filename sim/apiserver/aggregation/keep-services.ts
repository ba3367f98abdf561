/** Does to the stored APIServices what their plan says (`service-plan.ts`), in the server's own name. */
import { formatTime } from '../../api/time-format.ts';
import type { StoredEntry } from '../../storage/storage.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import { keptForm } from '../stores/kept-form.ts';
import type { StoreView } from '../request/server-view.ts';
import { newObject } from '../stores/new-object.ts';
import { ownFieldsOf } from '../stores/own-status.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { API_SERVICES } from './foreign-services.ts';
import { serviceSteps, type ServiceSituation, type ServiceStep } from './service-plan.ts';

export interface KeptServicesHost extends StoreView {
  readonly surroundings: Pick<ApiServerSurroundings, 'uuid' | 'wallMs'>;
}

type Entry = StoredEntry<StoredObject>;

/** What others have changed since the look goes unanswered until the next one. */
export function keepServices(
  host: KeptServicesHost,
  situation: Omit<ServiceSituation<Entry>, 'present'>,
): void {
  const resource = host.registry.findByText(API_SERVICES);
  if (!resource) return;
  const store = host.storeOf(resource);
  const present = store.storage.range({ prefix: store.range('') }).entries;
  const now = formatTime(host.surroundings.wallMs());
  for (const step of serviceSteps({ ...situation, present })) take({ host, resource, store, now }, step);
}

interface Workplace {
  readonly host: KeptServicesHost;
  readonly resource: Resource;
  readonly store: ResourceStore;
  readonly now: string;
}

function take({ host, resource, store, now }: Workplace, step: ServiceStep<Entry>): void {
  if (step.kind === 'create') {
    const form = keptForm(resource, step.service);
    const uid = host.surroundings.uuid();
    store.create(store.key('', form.metadata.name ?? ''), (revision) =>
      newObject(form, { uid, revision, now }),
    );
    return;
  }
  const { key, modRevision, value } = step.entry;
  if (step.kind === 'remove') {
    store.remove(key, modRevision);
    return;
  }
  const restored = ownFieldsOf({ resource, now, subresource: '' }, value, step.service);
  const whole = stored(resource, restored);
  store.replace(key, modRevision, (revision) => atRevision(whole, revision));
}
