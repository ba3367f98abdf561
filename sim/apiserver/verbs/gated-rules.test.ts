/** What servers object to, and complete, where a gate is on that is off by default. */
import { describe, expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const NAMESPACE = '/namespaces/default';

function at(gate: string, isOn: boolean) {
  const server = askedServer({ featureGates: `${gate}=${String(isOn)}` });
  server('POST', `/api/v1${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  return server;
}

interface Wish {
  readonly gate: string;
  readonly path: string;
  readonly spec: object;
}

const ask = ({ gate, path, spec }: Wish, isOn: boolean) =>
  at(gate, isOn)('POST', `${path}?dryRun=All`, { metadata: { name: 'x' }, spec });

/** Fields and what is said of them, without the regular expressions. */
function objections(wish: Wish, isOn: boolean): readonly string[] {
  const { body } = ask(wish, isOn);
  const { causes = [] } = (body.details ?? {}) as { causes?: readonly { field: string; message: string }[] };
  return causes.map(({ field, message }) => `${field}: ${message.replace(/ \(e\.g\..*/, '')}`);
}

const LEASES = `/apis/coordination.k8s.io/v1${NAMESPACE}/leases`;
const PODS = `/api/v1${NAMESPACE}/pods`;
const SETS = `/apis/apps/v1${NAMESPACE}/statefulsets`;
const SCALERS = `/apis/autoscaling/v2${NAMESPACE}/horizontalpodautoscalers`;

const podOf = (container: object, rest: object = {}) => ({
  containers: [{ name: 'c', image: 'i', ...container }],
  ...rest,
});
const claimed = (resourceClaims: readonly object[], claims: readonly object[] = []) =>
  podOf({ resources: { claims } }, { resourceClaims });
const setOf = (updateStrategy: object) => ({
  serviceName: 's',
  updateStrategy,
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: podOf({}) },
});
const scaled = (minReplicas: number) => ({
  minReplicas,
  maxReplicas: 3,
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
});
const policy = (resourceName: string, restartPolicy: string) => ({ resourceName, restartPolicy });
const ELECTS = 'CoordinatedLeaderElection';
const RESIZES = 'InPlacePodVerticalScaling';
const CLAIMS = 'DynamicResourceAllocation';
const UNAVAILABLE = 'MaxUnavailableStatefulSet';

describe('what is objected to where a gate is on', () => {
  it.each<[Wish, readonly string[]]>([
    [
      { gate: ELECTS, path: LEASES, spec: { preferredHolder: 'me' } },
      ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
    ],
    [
      { gate: ELECTS, path: LEASES, spec: { strategy: 'Youngest' } },
      ['spec.strategy.strategy: Unsupported value: "Youngest": supported values: "OldestEmulationVersion"'],
    ],
    [
      { gate: ELECTS, path: LEASES, spec: { strategy: '-bad/x' } },
      [
        "spec.strategy.strategy: Invalid value: \"-bad/x\": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      ],
    ],
    [{ gate: ELECTS, path: LEASES, spec: { strategy: 'example.com/Mine', preferredHolder: 'me' } }, []],
    [
      { gate: RESIZES, path: PODS, spec: podOf({ resizePolicy: [policy('web', 'Never')] }) },
      [
        'spec.containers[0].resizePolicy: Unsupported value: web: supported values: "cpu", "memory"',
        'spec.containers[0].resizePolicy: Unsupported value: "Never": supported values: "NotRequired", "RestartContainer"',
      ],
    ],
    [
      {
        gate: RESIZES,
        path: PODS,
        spec: podOf({ resizePolicy: [policy('cpu', 'NotRequired'), policy('cpu', 'NotRequired')] }),
      },
      ['spec.containers[0].resizePolicy[1]: Duplicate value: cpu'],
    ],
    [
      {
        gate: RESIZES,
        path: PODS,
        spec: podOf(
          {},
          { initContainers: [{ name: 'i', image: 'i', resizePolicy: [policy('cpu', 'NotRequired')] }] },
        ),
      },
      [
        'spec.initContainers[0].resizePolicy: Invalid value: []core.ContainerResizePolicy{core.ContainerResizePolicy{ResourceName:"cpu", RestartPolicy:"NotRequired"}}: must not be set for init containers',
      ],
    ],
    [
      { gate: CLAIMS, path: PODS, spec: claimed([{ resourceClaimName: 'c' }], [{ name: 'a' }]) },
      [
        'spec.resourceClaims[0].name: Required value',
        'spec.containers[0].resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
      ],
    ],
    [
      {
        gate: CLAIMS,
        path: PODS,
        spec: claimed([{ name: 'a', resourceClaimName: 'c' }], [{ name: 'a', request: 'R_' }, { name: 'a' }]),
      },
      [
        'spec.containers[0].resources.claims[0].request: Invalid value: "R_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
        'spec.containers[0].resources.claims[1]: Duplicate value: "a"',
      ],
    ],
    [
      { gate: UNAVAILABLE, path: SETS, spec: setOf({ rollingUpdate: { maxUnavailable: 0 } }) },
      [
        'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: cannot be 0',
      ],
    ],
    [
      { gate: UNAVAILABLE, path: SETS, spec: setOf({ rollingUpdate: { maxUnavailable: '150%' } }) },
      [
        'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"150%"}: must not be greater than 100%',
      ],
    ],
    [
      { gate: 'HPAScaleToZero', path: SCALERS, spec: scaled(-1) },
      ['spec.minReplicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      { gate: 'HPAScaleToZero', path: SCALERS, spec: scaled(0) },
      [
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
  ])('%o', (wish, expected) => {
    expect(objections(wish, true)).toEqual(expected);
  });
});

it('takes almost any name of a variable where a gate is on', () => {
  const wish = { gate: 'RelaxedEnvironmentVariableValidation', path: PODS };
  const named = (name: string): Wish => ({ ...wish, spec: podOf({ env: [{ name, value: 'v' }] }) });
  expect(ask(named('1 x~'), true).status).toBe(201);
  expect(ask(named('1 x~'), false).status).toBe(422);
  expect(objections(named('a=b'), true)).toEqual([
    'spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
  ]);
});

it('completes what nobody has said, where a gate is on', () => {
  const specOf = (wish: Wish, isOn: boolean) => ask(wish, isOn).body.spec as Record<string, unknown>;
  const set: Wish = { gate: UNAVAILABLE, path: SETS, spec: setOf({}) };
  expect(specOf(set, true)).toHaveProperty('updateStrategy.rollingUpdate', {
    partition: 0,
    maxUnavailable: 1,
  });
  expect(specOf(set, false)).toHaveProperty('updateStrategy.rollingUpdate', { partition: 0 });
  const pod: Wish = {
    gate: RESIZES,
    path: PODS,
    spec: podOf({
      resources: { limits: { memory: '1Gi' }, requests: { cpu: '1' } },
      resizePolicy: [policy('cpu', 'RestartContainer')],
    }),
  };
  expect(specOf(pod, true)).toHaveProperty('containers.0.resizePolicy', [
    policy('cpu', 'RestartContainer'),
    policy('memory', 'NotRequired'),
  ]);
  expect(specOf(pod, false)).not.toHaveProperty('containers.0.resizePolicy');
});

it('notes what was completed with what its writer owns', () => {
  const owned = (isOn: boolean) => {
    const { metadata } = ask({ gate: UNAVAILABLE, path: SETS, spec: setOf({}) }, isOn).body;
    const [entry] = (metadata as { managedFields: readonly { fieldsV1: object }[] }).managedFields;
    return entry?.fieldsV1;
  };
  const field = ['f:spec', 'f:updateStrategy', 'f:rollingUpdate', 'f:maxUnavailable'];
  expect(owned(true)).toHaveProperty(field, {});
  expect(owned(false)).not.toHaveProperty(field);
});

it('takes the same once more for no change, though it was completed', () => {
  // Nothing of it comes from an account.
  const pod = podOf({ resources: { requests: { cpu: '1' } } }, { automountServiceAccountToken: false });
  for (const { gate, path, spec } of [
    { gate: UNAVAILABLE, path: SETS, spec: setOf({}) },
    { gate: RESIZES, path: PODS, spec: pod },
  ]) {
    const server = at(gate, true);
    const versionOf = ({ status, body }: ReturnType<typeof server>) => {
      const { resourceVersion } = (body.metadata ?? {}) as { readonly resourceVersion?: string };
      return [status < 300, resourceVersion];
    };
    const created = server('POST', path, { metadata: { name: 'x' }, spec });
    expect(created.status).toBe(201);
    expect(versionOf(server('PATCH', `${path}/x`, { spec }))).toEqual(versionOf(created));
  }
});

it('tells how far a claim has grown in known words where a gate is on', () => {
  const claims = `/api/v1${NAMESPACE}/persistentvolumeclaims`;
  const server = at('RecoverVolumeExpansionFailure', true);
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  server('POST', claims, { metadata: { name: 'x' }, spec });
  const status = { allocatedResourceStatuses: { storage: 'Stuck' }, allocatedResources: { cpu: '-1' } };
  const { body } = server('PATCH', `${claims}/x/status`, { status });
  expect(body.message).toBe(
    'PersistentVolumeClaim "x" is invalid: [status.allocatedResourceStatus: Unsupported value: storage: supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending", status.allocatedResources: Unsupported value: "cpu": supported values: "storage"]',
  );
});
