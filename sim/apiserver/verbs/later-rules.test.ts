import { describe, expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { askedServer } from '../../cli/golden/asked-server.ts';

const PODS = '/api/v1/namespaces/default/podtemplates?dryRun=All';
const SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const SERVICES = '/api/v1/namespaces/default/services?dryRun=All';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas?dryRun=All';

const at = (name: string) => askedServer({ release: findRelease(name) });

/** What a server of the release says of the pod; `OK` if it takes it. */
function saidOf(release: string, spec: object): string {
  const template = { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  const { status, body } = at(release)('POST', PODS, { metadata: { name: 'x' }, template });
  return status === 201 ? 'OK' : String(body.message).replace(/^PodTemplate "x" is invalid: /, '');
}

const SLEEP = 'template.spec.containers[0].lifecycle.preStop.sleep';
const GRACE = 'terminationGracePeriodSeconds (30)';
const sleeping = (seconds: number): object => ({
  containers: [{ name: 'c', image: 'i', lifecycle: { preStop: { sleep: { seconds } } } }],
});

describe('what pods are held to since the release that knows it', () => {
  const resizing = {
    name: 'c',
    image: 'i',
    resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
  };

  it.each([
    [
      '1.33',
      { restartPolicy: 'Never', containers: [resizing] },
      "template.spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'",
    ],
    [
      '1.36',
      { initContainers: [{ ...resizing, name: 'i' }] },
      'template.spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to \'RestartContainer\' for non-sidecar initContainers',
    ],
    [
      '1.34',
      { resourceClaims: [{ name: 'a' }] },
      'template.spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
    [
      '1.34',
      {
        containers: [
          { name: 'c', image: 'i', resources: { claims: [{ name: 'a', request: 'r' }, { name: 'a' }] } },
        ],
        resourceClaims: [{ name: 'a', resourceClaimName: 'b' }],
      },
      'template.spec.containers[0].resources.claims[1]: Duplicate value: "a"',
    ],
    [
      '1.33',
      { securityContext: { supplementalGroupsPolicy: 'x' } },
      'template.spec.securityContext.supplementalGroupsPolicy: Unsupported value: "x": supported values: "Merge", "Strict"',
    ],
    [
      '1.33',
      { hostUsers: false, hostPID: true },
      'template.spec.HostPID: Forbidden: when `pod.Spec.HostUsers` is false',
    ],
    [
      '1.34',
      { hostUsers: false, hostPID: true },
      'template.spec.HostPID: Forbidden: when `hostUsers` is false',
    ],
    ['1.31', sleeping(0), `${SLEEP}: Invalid value: 0: must be greater than 0 and less than ${GRACE}`],
    [
      '1.32',
      sleeping(0),
      `${SLEEP}: Invalid value: 0: must be greater than 0 and less than ${GRACE}. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`,
    ],
    ['1.33', sleeping(0), 'OK'],
    ['1.33', sleeping(-1), `${SLEEP}: Invalid value: -1: must be non-negative and less than ${GRACE}`],
    ['1.34', sleeping(600), `${SLEEP}: Invalid value: 600: must be non-negative and less than ${GRACE}`],
    ['1.31', { os: {} }, 'template.spec.os.name: Required value: cannot be empty'],
    ['1.34', { os: {} }, 'template.spec.os.name: Required value'],
    [
      '1.33',
      { containers: [{ name: 'c', image: 'i', securityContext: { procMount: 'Unmasked' } }] },
      'template.spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ],
    [
      '1.35',
      { hostnameOverride: 'a', setHostnameAsFQDN: true },
      'template.spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
    ],
    [
      '1.35',
      { volumes: [{ name: 'v', image: {} }] },
      'template.spec.volumes[0].image.reference: Required value',
    ],
  ])('%s: %j', (release, spec, said) => {
    expect(saidOf(release, spec)).toBe(said);
  });

  it('older ones drop what they do not know, and take the rest', () => {
    expect(saidOf('1.32', { restartPolicy: 'Never', containers: [resizing] })).toBe('OK');
    expect(saidOf('1.33', { resourceClaims: [{ name: 'a' }] })).toBe('OK');
    expect(saidOf('1.32', { hostUsers: false, hostPID: true })).toBe('OK');
    expect(saidOf('1.34', { hostnameOverride: 'A_' })).toBe('OK');
  });
});

it('metadata is judged once less since 1.34, and what is fixed before the rest', () => {
  const set = {
    metadata: { name: 'x' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const said = (release: string, change: object) => {
    const ask = at(release);
    ask('POST', SETS, set);
    const { body, status } = ask('PATCH', `${SETS}/x`, change);
    const { causes = [] } = (body.details ?? {}) as { causes?: readonly { field: string }[] };
    return status === 200 ? 'OK' : causes.map(({ field }) => field).join(' ');
  };
  expect(said('1.31', { metadata: { generateName: 'é' } })).toBe('metadata.generateName');
  expect(said('1.34', { metadata: { generateName: 'é' } })).toBe('OK');
  const selector = { spec: { selector: { matchLabels: { app: 'b' } } } };
  expect(said('1.31', selector)).toContain('spec.template.metadata.labels');
  expect(said('1.34', selector)).toBe('spec.selector spec.template.metadata.labels');
});

it('endpoints that stay as they are are not judged again since 1.33', () => {
  const said = (release: string) => {
    const ask = at(release);
    ask('POST', SLICES, {
      metadata: { name: 's' },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:db8::1'] }],
    });
    return ask('PATCH', `${SLICES}/s`, { addressType: 'FQDN' }).body.message;
  };
  expect(said('1.31')).toContain('endpoints[0].addresses[0]');
  expect(said('1.36')).toBe(
    'EndpointSlice.discovery.k8s.io "s" is invalid: addressType: Invalid value: "FQDN": field is immutable',
  );
});

it('what 1.29 said otherwise', () => {
  const service = {
    metadata: { name: 's' },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], loadBalancerSourceRanges: ['a', 'b'] },
  };
  expect(at('1.29')('POST', SERVICES, service).body.message).toContain(
    'spec.LoadBalancerSourceRanges: Invalid value: "[a b]": must be a list of IP ranges.',
  );
  expect(at('1.31')('POST', SERVICES, service).body.message).toContain('spec.LoadBalancerSourceRanges[0]');
  const quota = {
    metadata: { name: 'q' },
    spec: {
      scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'In', values: ['a'] }] },
    },
  };
  expect(at('1.29')('POST', QUOTAS, quota).body.message).toContain("must be 'Exist' when");
  expect(saidOf('1.29', { hostAliases: [{ ip: 'x' }] })).toBe(
    'template.spec.hostAliases.ip: Invalid value: "x": must be valid IP address',
  );
  expect(saidOf('1.29', { hostAliases: [{ ip: '::1', hostnames: ['-'] }] })).toContain(
    'template.spec.hostAliases.hostnames: Invalid value: "-": a lowercase RFC 1123 subdomain',
  );
  const node = { metadata: { name: 'n' }, spec: { podCIDR: 'x' } };
  expect(at('1.29')('POST', '/api/v1/nodes', node).body.message).toContain(
    'spec.podCIDRs[0]: Invalid value: []string{"x"}: must be valid CIDR',
  );
});

it('the port of a backend is one value since 1.30, and two members before', () => {
  const ingress = {
    metadata: { name: 'i' },
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  };
  const ownedAt = (release: string) =>
    JSON.stringify(
      at(release)('POST', '/apis/networking.k8s.io/v1/namespaces/default/ingresses', ingress).body.metadata,
    );
  expect(ownedAt('1.29')).toContain('"f:port":{".":{},"f:number":{}}');
  expect(ownedAt('1.30')).toContain('"f:port":{}');
});

describe('annotations that once were members', () => {
  const told = (annotations: object) => {
    const template = { metadata: { annotations }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    return at('1.31')('POST', PODS, { metadata: { name: 'x' }, template });
  };

  it('are dropped where they held containers', () => {
    const { body } = told({ 'pod.beta.kubernetes.io/init-containers': '[]', a: 'b' });
    expect(body).toMatchObject({ template: { metadata: { annotations: { a: 'b' } } } });
    expect(JSON.stringify(body)).not.toContain('init-containers');
  });

  it.each([
    ['[]', 201],
    ['[null]', 422],
    ['null', 201],
    ['[{"key":"a","operator":"Exists"}]', 201],
    ['{}', 'json: cannot unmarshal object into Go value of type []core.Toleration'],
    ['{', 'unexpected end of JSON input'],
    ['[{"key":5}]', 'json: cannot unmarshal number into Go struct field Toleration.Key of type string'],
  ])('and tolerations in them have to make sense: %s', (text, said) => {
    const { status, body } = told({ 'scheduler.alpha.kubernetes.io/tolerations': text });
    if (typeof said === 'number') expect(status).toBe(said);
    else
      expect(body.message).toBe(
        `PodTemplate "x" is invalid: template.annotations: Invalid value: "scheduler.alpha.kubernetes.io/tolerations": ${said}`,
      );
  });
});

it('side effects that say nothing are not those that are missing', () => {
  const said = (sideEffects?: string) =>
    at('1.31')('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'h' },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a' },
          admissionReviewVersions: ['v1'],
          ...(sideEffects !== undefined && { sideEffects }),
        },
      ],
    }).body.message;
  expect(said()).toContain('sideEffects: Required value: must specify one of None, NoneOnDryRun');
  expect(said('')).toContain('sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"');
});

describe('autoscaling/v1 tells in annotations', () => {
  const target = (name: string, of: object) => ({ type: 'Resource', resource: { name, target: of } });
  const cpu = (averageUtilization: number) => target('cpu', { type: 'Utilization', averageUtilization });

  function toldOf(release: string, spec: object) {
    const ask = at(release);
    const path = (version: string) =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
    ask('POST', path('v2'), {
      metadata: { name: 'h' },
      spec: { maxReplicas: 2, scaleTargetRef, ...spec },
    });
    const { body } = ask('GET', `${path('v1')}/h`);
    return {
      annotations: (body.metadata as { annotations?: Readonly<Record<string, string>> }).annotations ?? {},
      utilization: (body.spec as Readonly<Record<string, unknown>>)['targetCPUUtilizationPercentage'],
    };
  }

  it.each([
    ['1.32', []],
    ['1.33', ['Tolerance']],
  ])('in %s all that behaviour may say', (release, later) => {
    const { annotations } = toldOf(release, { behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } });
    const behavior = JSON.parse(annotations['autoscaling.alpha.kubernetes.io/behavior'] ?? '{}') as object;
    const [up] = Object.values(behavior) as object[];
    expect(Object.keys(up ?? {})).toEqual([
      'StabilizationWindowSeconds',
      'SelectPolicy',
      'Policies',
      ...later,
    ]);
  });

  it('no use of processors: what is not the first is lost', () => {
    const memory = target('memory', { type: 'Utilization', averageUtilization: 7 });
    const { annotations, utilization } = toldOf('1.31', { metrics: [memory, cpu(50), cpu(60)] });
    expect(utilization).toBe(50);
    expect(JSON.parse(annotations['autoscaling.alpha.kubernetes.io/metrics'] ?? '')).toEqual([
      { type: 'Resource', resource: { name: 'memory', targetAverageUtilization: 7 } },
    ]);
  });
});

describe('sets of pods with claims of their own', () => {
  const claim = (name: string) => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
  });
  const said = (release: string, mounted: string, claims: readonly object[]) => {
    const volumeMounts = [{ name: mounted, mountPath: '/a' }];
    const { status, body } = at(release)('POST', '/apis/apps/v1/namespaces/default/statefulsets', {
      metadata: { name: 's' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'c', image: 'i', volumeMounts }],
            volumes: [{ name: 'v' }, { name: 'other', emptyDir: {} }],
          },
        },
        volumeClaimTemplates: claims,
      },
    });
    return status === 201 ? 'OK' : body.message;
  };

  it('may mount what they claim, in whose place volumes of the same name stand back', () => {
    expect(said('1.34', 'v', [claim('v')])).toBe('OK');
    expect(said('1.34', 'other', [claim('v')])).toBe('OK');
  });

  it('but nothing else since 1.34, and claims have to be named as volumes are', () => {
    expect(said('1.33', 'none', [claim('D.e')])).toBe('OK');
    const message = said('1.34', 'none', [claim('v'), claim('D.e')]);
    expect(message).toContain('spec.template.spec.volumes[1].name: Invalid value: "D.e"');
    expect(message).toContain('spec.template.spec.containers[0].volumeMounts[0].name: Not found: "none"');
  });
});

it('a strategy that is none is shown as JSON since 1.34', () => {
  const said = (release: string) =>
    at(release)('POST', SETS, {
      metadata: { name: 'x' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        updateStrategy: { type: 'x', rollingUpdate: {} },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    }).body.message;
  expect(said('1.34')).toContain(
    'Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":0}}: supported values',
  );
  expect(said('1.33')).toContain('Unsupported value: apps.DaemonSetUpdateStrategy{Type:"x", ');
});
