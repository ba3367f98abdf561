/**
 * Which controllers run, in the words of kube-controller-manager's `--controllers`: `*`, `name`, `-name`, the first
 * word about a controller counts, and former names will do. Which of its controllers are modelled here.
 */
import { CONTROLLERS } from '../controllers/every-controller.ts';
import { type Controller, isCalled } from '../controllers/manager/controller.ts';

/** Names of kube-controller-manager. */
const KNOWN: readonly string[] = [
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'cloud-node-lifecycle-controller',
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'ephemeral-volume-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'namespace-controller',
  'node-ipam-controller',
  'node-lifecycle-controller',
  'node-route-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'resourceclaim-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'service-cidr-controller',
  'service-lb-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'statefulset-controller',
  'storage-version-migrator-controller',
  'storageversion-garbage-collector-controller',
  'taint-eviction-controller',
  'token-cleaner-controller',
  'ttl-after-finished-controller',
  'ttl-controller',
  'validatingadmissionpolicy-status-controller',
];

export const MODELLED_CONTROLLERS: readonly string[] = CONTROLLERS.map(({ name }) => name);
const USUAL = CONTROLLERS.filter(({ isNamedOnly = false }) => !isNamedOnly);
/** Those that run where nothing is said. */
export const USUAL_CONTROLLERS: readonly string[] = USUAL.map(({ name }) => name);
export const UNMODELLED_CONTROLLERS: readonly string[] = KNOWN.filter(
  (name) => !MODELLED_CONTROLLERS.includes(name),
);

/** @throws RangeError for names that there are not, and for those that are asked for and not modelled */
export function selectControllers(words: readonly string[]): readonly Controller[] {
  if (words === USUAL_CONTROLLERS) return USUAL;
  for (const word of words) checkWord(word);
  return CONTROLLERS.filter((controller) => isSelected(controller, words));
}

/** Names of those that a list of words with commas selects. @throws RangeError as `selectControllers` does */
export const controllersOf = (text: string): readonly string[] =>
  selectControllers(text.split(',').map((word) => word.trim())).map(({ name }) => name);

function checkWord(word: string): void {
  if (word === '*') return;
  const name = word.replace(/^-/, '');
  if (CONTROLLERS.some((controller) => isCalled(controller, name))) return;
  if (!KNOWN.includes(name))
    throw new RangeError(`${JSON.stringify(name)} is not in the list of known controllers`);
  if (name === word) {
    throw new RangeError(
      `${JSON.stringify(name)} is not modelled; there are ${[...MODELLED_CONTROLLERS].sort().join(', ')}`,
    );
  }
}

function isSelected(controller: Controller, words: readonly string[]): boolean {
  const first = words.find((word) => isCalled(controller, word.replace(/^-/, '')));
  if (first !== undefined) return !first.startsWith('-');
  return controller.isNamedOnly !== true && words.includes('*');
}
