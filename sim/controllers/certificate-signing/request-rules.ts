/** What the signers of a cluster ask of a request before they sign it. Pure; a text says what is wrong. */
import type { CertificateRequest } from '../../api/certificates/certificate-request.ts';

export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const LEGACY = 'kubernetes.io/legacy-unknown';

const SIGNATURE = 'digital signature';
const ENCIPHERMENT = 'key encipherment';
const CLIENT_AUTH = 'client auth';
const SERVER_AUTH = 'server auth';

type Rule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** By the name of the signer; absent: it is somebody else's. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [KUBELET_SERVING, kubeletServingProblem],
  [KUBELET_CLIENT, kubeletClientProblem],
  [CLIENT, (_, usages) => clientUsageProblem(usages)],
  [LEGACY, () => undefined],
]);

export const ruleOf = (signerName: string): Rule | undefined => RULES.get(signerName);

const isOfNodes = ({ organizations }: CertificateRequest): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes';
const isOfNode = ({ commonName }: CertificateRequest): boolean => commonName.startsWith('system:node:');

const NOT_OF_NODES = 'subject organization is not system:nodes';
const NOT_OF_NODE = 'subject common name does not begin with system:node:';
const notAllowed = (kind: string): string => `${kind} subjectAltNames are not allowed`;

function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { emails, uris, dnsNames, addresses } = request.names;
  if (!isOfNodes(request)) return NOT_OF_NODES;
  if (dnsNames + addresses === 0) return 'DNS or IP subjectAltName is required';
  if (emails > 0) return notAllowed('Email');
  if (uris > 0) return notAllowed('URI');
  return usageProblem(usages, SERVER_AUTH) ?? (isOfNode(request) ? undefined : NOT_OF_NODE);
}

export function kubeletClientProblem(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const { emails, uris, dnsNames, addresses } = request.names;
  if (!isOfNodes(request)) return NOT_OF_NODES;
  if (dnsNames > 0) return notAllowed('DNS');
  if (emails > 0) return notAllowed('Email');
  if (addresses > 0) return notAllowed('IP');
  if (uris > 0) return notAllowed('URI');
  if (!isOfNode(request)) return NOT_OF_NODE;
  return usageProblem(usages, CLIENT_AUTH);
}

/** Keys that cannot encipher do without it. */
function usageProblem(usages: readonly string[], use: string): string | undefined {
  const given = new Set(usages);
  const wanted = [use, SIGNATURE, ENCIPHERMENT].sort();
  const needed = wanted.filter((usage) => usage !== ENCIPHERMENT || given.has(ENCIPHERMENT));
  const isSame = needed.length === given.size && needed.every((usage) => given.has(usage));
  return isSame ? undefined : `usages did not match [${wanted.join(' ')}]`;
}

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const strange = usages.find((usage) => ![SIGNATURE, ENCIPHERMENT, CLIENT_AUTH].includes(usage));
  if (strange !== undefined) return `invalid usage for client certificate: ${strange}`;
  return usages.includes(CLIENT_AUTH)
    ? undefined
    : `missing required usage for client certificate: ${CLIENT_AUTH}`;
}
