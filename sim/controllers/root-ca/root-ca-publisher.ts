/**
 * Publishes the root certificate: every active namespace has a ConfigMap `kube-root-ca.crt`, whatever somebody does to
 * it. Specification: "Namespace".
 */
import type { ManagedFieldsEntry } from '../../api/object.ts';
import type { ConfigMap, Namespace } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { hasReason, isAlreadyExists, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { configMaps, namespaces } = BUILTIN_HANDLES;
const NAME = 'kube-root-ca.crt';
const KEY = 'ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
const DESCRIPTION_TEXT =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
const ANNOTATIONS = { [DESCRIPTION]: DESCRIPTION_TEXT };
const MANAGED_FIELDS: readonly ManagedFieldsEntry[] = [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:data': { '.': {}, [`f:${KEY}`]: {} },
      'f:metadata': { 'f:annotations': { '.': {}, [`f:${DESCRIPTION}`]: {} } },
    },
  },
];

export const ROOT_CA_PUBLISHER = defineController({
  name: 'root-ca-certificate-publisher-controller',
  formerNames: ['root-ca-cert-publisher'],
  serviceAccount: 'root-ca-cert-publisher',
  leaves: ({ namespaces: names, credentials: { rootCertificate } }) => ({
    handle: configMaps,
    objects: names.map((namespace) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: NAME, namespace, annotations: ANNOTATIONS, managedFields: MANAGED_FIELDS },
      data: { [KEY]: rootCertificate },
    })),
  }),
  *start({ context, client, informerOf, credentials: { rootCertificate } }) {
    const queue = new WorkQueue(context);
    const spaces = informerOf(namespaces);
    const maps = informerOf(configMaps);
    const note = (namespace: Namespace): void => {
      if (namespace.status?.phase === 'Active') queue.add(storeKeyOf(namespace));
    };
    const noteMap = ({ metadata: { name, namespace = '' } }: ConfigMap): void => {
      if (name === NAME) queue.add(namespace);
    };
    spaces.addHandler({ added: note, changed: note });
    maps.addHandler({ changed: noteMap, removed: noteMap });
    for (const informer of [spaces, maps]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      reconcile: (namespace) =>
        publish(client, { namespace, rootCertificate, present: maps.store.get(`${namespace}/${NAME}`) }),
    });
  },
});

function* publish(
  client: ApiClient,
  {
    namespace,
    rootCertificate,
    present,
  }: {
    readonly namespace: string;
    readonly rootCertificate: string;
    readonly present: ConfigMap | undefined;
  },
): Process<undefined> {
  const data = { [KEY]: rootCertificate };
  try {
    if (!present)
      yield* client.create(configMaps, {
        metadata: { name: NAME, namespace, annotations: ANNOTATIONS },
        data,
      });
    else if (!isRight(present, rootCertificate)) {
      const own = { ...present.metadata, annotations: { ...present.metadata.annotations, ...ANNOTATIONS } };
      yield* client.update(configMaps, { ...present, metadata: own, data });
    }
  } catch (error) {
    // Somebody was faster, or the namespace is ending.
    if (!isAlreadyExists(error) && !isNotFound(error) && !hasReason(error, 'Forbidden')) throw error;
  }
  return undefined;
}

const isRight = ({ data = {}, metadata }: ConfigMap, certificate: string): boolean =>
  Object.keys(data).length === 1 &&
  data[KEY] === certificate &&
  metadata.annotations?.[DESCRIPTION] === DESCRIPTION_TEXT;
