/**
 * ServiceAccount: every pod runs as an account that exists, and gets the account's token, the
 * cluster's certificate and its namespace as a volume. Specification: not shown (Kubernetes).
 */
import { goQuote } from '../../../api/go-text.ts';
import { unaskable } from '../unaskable-name.ts';
import { badRequest, forbidden } from '../../../api/status.ts';
import type { Container, Pod, PodSpec, ServiceAccount } from '../../../api/types/core-v1.ts';
import type { Draft, HookContext } from '../../registry/strategy.ts';
import { type AdmissionAttributes, type AdmissionPlugin, shownName } from '../admission.ts';

const DEFAULT_NAME = 'default';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
const MIRROR = 'kubernetes.io/config.mirror';
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** An hour, and seven seconds that tell these tokens from those that were asked for. */
const TOKEN_SECONDS = 3_607;
const FILE_MODE = 0o644;

export const serviceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' && group === '' && resource === 'pods' && subresource === '',
  admit: (attributes) => {
    const pod = attributes.object as Draft<Pod>;
    if (!pod.spec) return;
    if (pod.metadata.annotations?.[MIRROR] !== undefined) {
      checkMirror(attributes, pod.spec);
      return;
    }
    const name = pod.spec.serviceAccountName || DEFAULT_NAME;
    pod.spec.serviceAccountName = name;
    pod.spec.serviceAccount = name;
    const account = accountOf(attributes, name);
    if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
      mountToken(pod.spec, attributes.context);
    }
    if (
      (pod.spec.imagePullSecrets ?? []).length === 0 &&
      account.imagePullSecrets &&
      account.imagePullSecrets.length > 0
    ) {
      pod.spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
    }
  },
};

function checkMirror({ resource, name }: AdmissionAttributes, spec: PodSpec): void {
  if (spec.serviceAccountName)
    throw forbidden(resource, name, 'a mirror pod may not reference service accounts');
  if (
    (spec.volumes ?? []).some(({ projected }) =>
      projected?.sources?.some((source) => source.serviceAccountToken),
    )
  ) {
    throw badRequest('a mirror pod may not use ServiceAccountToken volume projections');
  }
}

function accountOf(attributes: AdmissionAttributes, name: string): ServiceAccount {
  const { context, namespace, resource } = attributes;
  const account = context.lookup('serviceaccounts', namespace, name);
  if (account) return account;
  const because = unaskable(name) ?? `serviceaccount ${goQuote(name)} not found`;
  const why = `error looking up service account ${namespace}/${name}: ${because}`;
  throw forbidden(resource, shownName(attributes), why);
}

function mountToken(spec: Draft<PodSpec>, context: HookContext): void {
  const present = (spec.volumes ?? []).find(({ name }) => name.startsWith(VOLUME_PREFIX))?.name;
  const volume = present ?? VOLUME_PREFIX + suffix(context);
  let isMounted = false;
  for (const container of [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
  ] as Draft<Container>[]) {
    if ((container.volumeMounts ?? []).some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name: volume, readOnly: true, mountPath: MOUNT_PATH },
    ];
    isMounted = true;
  }
  if (isMounted && present === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(volume)];
}

const tokenVolume = (name: string): Draft<NonNullable<PodSpec['volumes']>[number]> => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: FILE_MODE,
  },
});

function suffix(context: HookContext): string {
  let text = '';
  for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
    text += SUFFIX_ALPHABET[context.uint32() % SUFFIX_ALPHABET.length] ?? '';
  }
  return text;
}
