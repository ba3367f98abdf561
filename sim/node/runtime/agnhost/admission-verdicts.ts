/**
 * What the webhooks of Kubernetes' test image (`agnhost webhook`) say to a request, by path: whom they deny and in which
 * words, and what they add. Pure. Kubernetes 1.31: test/images/agnhost/webhook.
 */

export interface ReviewedRequest {
  readonly name?: string;
  readonly operation?: string;
  readonly object?: ReviewedObject | null;
  readonly oldObject?: ReviewedObject | null;
}

export interface ReviewedObject {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly containers?: readonly { readonly name?: string }[];
    readonly initContainers?: readonly { readonly name?: string }[];
  };
  /** Of `PodAttachOptions`. */
  readonly stdin?: boolean;
  readonly container?: string;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly status?: object;
  /** Operations of a JSON patch. */
  readonly patch?: readonly object[];
  /** Said so much later; `Infinity`: never. */
  readonly afterSeconds?: number;
}

const ALLOWED: Verdict = { allowed: true };
const MARK = 'webhook-e2e-test';
const UNWANTED = 'webhook-disallow';
const KEPT = 'webhook-nondeletable';
const LABEL = 'added-label';
const FIRST_STAGE = 'mutation-stage-1';
const ADDED_INIT = 'webhook-added-init-container';
const ADDED_SIDECAR = 'webhook-added-sidecar';

const denied = (status: object): Verdict => ({ allowed: false, status });
const withPatch = (op: string, path: string, value: unknown): Verdict => ({
  allowed: true,
  patch: [{ op, path, value }],
});

/** `sidecarImage`: of the flag of that name. Undefined: there is no such path. */
export function verdictOf(
  path: string,
  request: ReviewedRequest,
  sidecarImage: string | undefined,
): Verdict | undefined {
  switch (path) {
    case '/always-allow-delay-5s':
      return { allowed: true, status: { message: 'this webhook allows all requests' }, afterSeconds: 5 };
    case '/always-deny':
      return denied({ message: 'this webhook denies all requests' });
    case '/add-label':
      return labelled(request);
    case '/pods':
      return ofPod(request);
    case '/pods/attach':
      return ofAttachment(request);
    case '/mutating-pods':
      return withInitContainer(request);
    case '/mutating-pods-sidecar':
      return withSidecar(request, sidecarImage);
    case '/configmaps':
      return ofData(request, ['the configmap contains unwanted key and value', 'the configmap']);
    case '/custom-resource':
      return ofData(request, ['the custom resource contains unwanted data', 'the custom resource']);
    case '/mutating-configmaps':
    case '/mutating-custom-resource':
      return nextStage(request);
    case '/crd':
      return labelsOf(request)[MARK] === UNWANTED
        ? denied({ message: 'the crd contains unwanted label' })
        : ALLOWED;
    default:
      return undefined;
  }
}

const labelsOf = ({ object }: ReviewedRequest): Readonly<Record<string, string>> =>
  object?.metadata?.labels ?? {};

function labelled(request: ReviewedRequest): Verdict {
  const labels = labelsOf(request);
  if (Object.keys(labels).length === 0) return withPatch('add', '/metadata/labels', { [LABEL]: 'yes' });
  if (labels[LABEL] === 'yes') return ALLOWED;
  return withPatch(labels[LABEL] === undefined ? 'add' : 'replace', `/metadata/labels/${LABEL}`, 'yes');
}

function ofPod(request: ReviewedRequest): Verdict {
  const mark = labelsOf(request)[MARK];
  if (mark === 'wait-forever') return { allowed: false, afterSeconds: Infinity };
  const unwanted = (request.object?.spec?.containers ?? []).filter(({ name }) => name?.includes(UNWANTED));
  const message = [
    ...(mark === UNWANTED ? ['the pod contains unwanted label;'] : []),
    ...unwanted.map(() => 'the pod contains unwanted container name;'),
  ].join(' ');
  return message === '' ? ALLOWED : denied({ message });
}

function ofAttachment({ name, object }: ReviewedRequest): Verdict {
  const isMeant =
    name === 'to-be-attached-pod' && object?.stdin === true && object.container === 'container1';
  return isMeant ? denied({ message: "attaching to pod 'to-be-attached-pod' is not allowed" }) : ALLOWED;
}

function withInitContainer({ object }: ReviewedRequest): Verdict {
  const { initContainers = [] } = object?.spec ?? {};
  const isMeant = object?.metadata?.name === 'webhook-to-be-mutated';
  if (!isMeant || initContainers.some(({ name }) => name === ADDED_INIT)) return ALLOWED;
  const added = { image: 'webhook-added-image', name: ADDED_INIT, resources: {} };
  return withPatch('add', '/spec/initContainers', [added]);
}

function withSidecar({ object }: ReviewedRequest, image: string | undefined): Verdict {
  if (image === undefined || image === '')
    return denied({
      status: 'Failure',
      message: 'No image specified by the sidecar-image parameter',
      code: 500,
    });
  const isThere = object?.spec?.containers?.some(({ name }) => name === ADDED_SIDECAR) ?? false;
  return isThere
    ? ALLOWED
    : withPatch('add', '/spec/containers/-', { image, name: ADDED_SIDECAR, resources: {} });
}

/** What is denied is told as a reason, without a message. */
function ofData(
  { operation, object, oldObject }: ReviewedRequest,
  [unwanted, what]: readonly [string, string],
): Verdict {
  const isDeletion = operation === 'DELETE';
  const mark = ((isDeletion ? oldObject : object)?.data ?? {})[MARK];
  if (mark === UNWANTED && (operation === 'CREATE' || operation === 'UPDATE'))
    return denied({ reason: unwanted });
  if (mark === KEPT && isDeletion)
    return denied({ reason: `${what} cannot be deleted because it contains unwanted key and value` });
  return ALLOWED;
}

/** Two stages, so that one sees in which order webhooks were asked. */
function nextStage({ object }: ReviewedRequest): Verdict {
  const data = object?.data ?? {};
  if (data[FIRST_STAGE] === 'yes') return withPatch('add', '/data/mutation-stage-2', 'yes');
  return data['mutation-start'] === 'yes' ? withPatch('add', `/data/${FIRST_STAGE}`, 'yes') : ALLOWED;
}
