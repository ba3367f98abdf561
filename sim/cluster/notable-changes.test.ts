/**
 * The specification's table of removed versions: each of its notable changes, on both sides of it.
 */
import { describe, expect, it } from 'vitest';
import { findRelease } from '../api/release/releases.ts';
import { milliseconds, seconds } from '../engine/time.ts';
import type { Cluster } from './cluster.ts';
import { createCluster } from './create-cluster.ts';
import { migrateStorage, upgrade } from './upgrade.ts';
import { WireUser } from './wire-user.ts';
import { USER_REQUEST } from '../controllers/certificate-signing/requests.fixture.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

type Members = { readonly [member: string]: unknown };

interface Answer {
  readonly status: number;
  readonly body: Members;
  readonly warnings: readonly string[];
}

/** A cluster of a release without controllers, and who asks it. */
class World {
  readonly cluster: Cluster;
  readonly #wire: WireUser;

  constructor(name: string, settings: { readonly runtimeConfig?: string } = {}) {
    this.cluster = createCluster({ release: release(name), controllers: [], ...settings });
    this.cluster.advance(milliseconds(100));
    this.#wire = new WireUser(this.cluster);
  }

  ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Answer {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { accept: 'application/json', 'content-type': type };
    const answer = this.#wire.request({ method, path, user, headers, ...(body && { body }) });
    const text = String(answer?.body);
    return {
      status: answer?.status ?? 0,
      body: text.startsWith('{') ? (JSON.parse(text) as Members) : { text },
      warnings: answer?.warnings ?? [],
    };
  }

  create(collection: string, members: object, name = 'x'): Answer {
    return this.ask('POST', collection, { metadata: { name }, ...members });
  }

  upgrade(to: string): void {
    upgrade(this.cluster, { release: release(to), pause: milliseconds(200) });
  }
}

function release(name: string) {
  const found = findRelease(name);
  if (!found) throw new Error(`there is no release ${name}`);
  return found;
}

const inDefault = (apiVersion: string, resource: string): string =>
  `/apis/${apiVersion}/namespaces/default/${resource}`;

const TEMPLATE = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const SELECTOR = { matchLabels: { app: 'a' } };

describe('1.16: workloads of extensions/v1beta1, apps/v1beta1 and apps/v1beta2', () => {
  it('need no selector, and need one in apps/v1', () => {
    const world = new World('1.15');
    for (const version of ['extensions/v1beta1', 'apps/v1beta1']) {
      const made = world.create(
        inDefault(version, 'deployments'),
        { spec: { template: TEMPLATE } },
        version.slice(-12, -8),
      );
      expect([version, made.status]).toEqual([version, 201]);
      expect(made.body).toMatchObject({ spec: { selector: SELECTOR }, metadata: { labels: { app: 'a' } } });
    }
    for (const version of ['apps/v1beta2', 'apps/v1'])
      expect(
        world.create(inDefault(version, 'deployments'), { spec: { template: TEMPLATE } }, 'y').status,
      ).toBe(422);
  });

  it('change their selectors, which are for ever in apps/v1', () => {
    const world = new World('1.15');
    const spec = {
      selector: SELECTOR,
      template: { ...TEMPLATE, metadata: { labels: { app: 'a', b: 'c' } } },
    };
    for (const resource of ['deployments', 'daemonsets', 'replicasets']) {
      world.create(inDefault('extensions/v1beta1', resource), { spec });
      const change = { spec: { selector: { matchLabels: { app: null, b: 'c' } } } };
      expect(world.ask('PATCH', `${inDefault('apps/v1', resource)}/x`, change)).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('field is immutable') as string },
      });
      expect(world.ask('PATCH', `${inDefault('extensions/v1beta1', resource)}/x`, change).status).toBe(200);
      expect(world.ask('GET', `${inDefault('apps/v1', resource)}/x`).body).toMatchObject({
        spec: { selector: { matchLabels: { b: 'c' } } },
      });
    }
  });

  it('of DaemonSets have a template generation and update on deletion, and neither in apps/v1', () => {
    const world = new World('1.15');
    const old = world.create(inDefault('extensions/v1beta1', 'daemonsets'), { spec: { template: TEMPLATE } });
    expect(old.body).toMatchObject({ spec: { templateGeneration: 1, updateStrategy: { type: 'OnDelete' } } });
    const shown = world.ask('GET', `${inDefault('apps/v1', 'daemonsets')}/x`).body;
    expect(shown['spec']).not.toHaveProperty('templateGeneration');
    expect(shown).toMatchObject({
      metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } },
    });
    const fresh = world.create(
      inDefault('apps/v1', 'daemonsets'),
      { spec: { selector: SELECTOR, template: TEMPLATE } },
      'y',
    );
    expect(fresh.body).toMatchObject({ spec: { updateStrategy: { type: 'RollingUpdate' } } });
  });

  it('of Deployments roll back to a revision, never stop, keep all and move one at a time, and not in apps/v1', () => {
    const world = new World('1.15');
    const spec = { selector: SELECTOR, template: TEMPLATE };
    const old = world.create(inDefault('extensions/v1beta1', 'deployments'), {
      spec: { ...spec, rollbackTo: { revision: 2 } },
    });
    expect(old.body['spec']).toMatchObject({
      rollbackTo: { revision: 2 },
      progressDeadlineSeconds: 2_147_483_647,
      revisionHistoryLimit: 2_147_483_647,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    const shown = world.ask('GET', `${inDefault('apps/v1', 'deployments')}/x`).body;
    expect(shown['spec']).not.toHaveProperty('rollbackTo');
    expect(world.ask('GET', `${inDefault('apps/v1beta1', 'deployments')}/x`).body).toMatchObject({
      spec: { rollbackTo: { revision: 2 } },
    });
    const between = world.create(inDefault('apps/v1beta1', 'deployments'), { spec }, 'y').body['spec'];
    expect(between).toMatchObject({
      revisionHistoryLimit: 2,
      strategy: { rollingUpdate: { maxSurge: '25%' } },
    });
    const fresh = world.create(inDefault('apps/v1', 'deployments'), { spec }, 'z').body['spec'];
    expect(fresh).toMatchObject({
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    });
  });

  it('of StatefulSets update on deletion in apps/v1beta1, and roll in apps/v1beta2 and apps/v1', () => {
    const world = new World('1.15');
    const types = ['apps/v1beta1', 'apps/v1beta2', 'apps/v1'].map((version, index) => {
      const spec = { serviceName: 's', selector: SELECTOR, template: TEMPLATE };
      const { body } = world.create(inDefault(version, 'statefulsets'), { spec }, `s${index}`);
      return (body['spec'] as { updateStrategy: { type: string } }).updateStrategy.type;
    });
    expect(types).toEqual(['OnDelete', 'RollingUpdate', 'RollingUpdate']);
  });

  it('are gone in 1.16, and what was written through them is not', () => {
    const world = new World('1.15');
    world.create(inDefault('extensions/v1beta1', 'deployments'), { spec: { template: TEMPLATE } });
    world.create(inDefault('extensions/v1beta1', 'networkpolicies'), { spec: { podSelector: {} } });
    world.upgrade('1.16');
    for (const version of ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'])
      expect(world.ask('GET', inDefault(version, 'deployments')).status).toBe(404);
    expect(world.ask('GET', `${inDefault('apps/v1', 'deployments')}/x`).status).toBe(200);
    expect(world.ask('GET', `${inDefault('networking.k8s.io/v1', 'networkpolicies')}/x`).body).toMatchObject({
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    });
  });
});

const PSP = {
  spec: {
    privileged: true,
    seLinux: { rule: 'RunAsAny' },
    runAsUser: { rule: 'RunAsAny' },
    supplementalGroups: { rule: 'RunAsAny' },
    fsGroup: { rule: 'RunAsAny' },
  },
};

it('1.16 and 1.25: pod security policies move to policy/v1beta1, and then are no more', () => {
  const world = new World('1.15');
  expect(world.create('/apis/extensions/v1beta1/podsecuritypolicies', PSP).status).toBe(201);
  expect(world.ask('GET', '/apis/policy/v1beta1/podsecuritypolicies/x').body).toMatchObject(PSP);
  world.upgrade('1.16');
  expect(world.ask('GET', '/apis/extensions/v1beta1/podsecuritypolicies/x').status).toBe(404);
  world.upgrade('1.24');
  expect(world.ask('GET', '/apis/policy/v1beta1/podsecuritypolicies/x')).toMatchObject({
    status: 200,
    warnings: ['policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+, unavailable in v1.25+'],
  });
  world.upgrade('1.25');
  expect(world.ask('GET', '/apis/policy/v1beta1/podsecuritypolicies/x').status).toBe(404);
  // What nobody serves any more is still there, and is shown again by whoever does.
  world.upgrade('1.24');
  expect(world.ask('GET', '/apis/policy/v1beta1/podsecuritypolicies/x').status).toBe(200);
});

describe('1.22: ingresses', () => {
  const old = {
    spec: {
      backend: { serviceName: 's', servicePort: 80 },
      rules: [{ http: { paths: [{ path: '/a', backend: { serviceName: 't', servicePort: 'http' } }] } }],
    },
  };

  it.each(['extensions/v1beta1', 'networking.k8s.io/v1beta1'])(
    'of %s name services and ports in one place, and need no path type',
    (version) => {
      const world = new World('1.21');
      expect(world.create(inDefault(version, 'ingresses'), old)).toMatchObject({ status: 201, body: old });
      const heir = world.ask('GET', `${inDefault('networking.k8s.io/v1', 'ingresses')}/x`).body;
      expect(heir).toMatchObject({
        spec: {
          defaultBackend: { service: { name: 's', port: { number: 80 } } },
          rules: [
            {
              http: {
                paths: [
                  {
                    path: '/a',
                    pathType: 'ImplementationSpecific',
                    backend: { service: { name: 't', port: { name: 'http' } } },
                  },
                ],
              },
            },
          ],
        },
      });
    },
  );

  it('of networking.k8s.io/v1 need a path type', () => {
    const backend = { service: { name: 's', port: { number: 80 } } };
    const refused = new World('1.22').create(inDefault('networking.k8s.io/v1', 'ingresses'), {
      spec: { rules: [{ http: { paths: [{ path: '/a', backend }] } }] },
    });
    expect(refused.body['message']).toContain('spec.rules[0].http.paths[0].pathType: Required value');
  });
});

describe('1.22: webhook configurations', () => {
  const hook = { name: 'a.b.c', clientConfig: { url: 'https://example.com/a' } };
  const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations';

  it('of v1beta1 ignore failures, match exactly, wait for 30 s, and may say nothing of effects and reviews', () => {
    const world = new World('1.21');
    const made = world.create(CONFIGURATIONS, { webhooks: [hook, hook] });
    expect(made.status).toBe(201);
    const webhook = {
      failurePolicy: 'Ignore',
      matchPolicy: 'Exact',
      timeoutSeconds: 30,
      sideEffects: 'Unknown',
      admissionReviewVersions: ['v1beta1'],
    };
    expect(made.body).toMatchObject({ webhooks: [webhook, webhook] });
    // They can still be changed by whoever speaks v1.
    const change = { metadata: { labels: { a: 'b' } } };
    expect(world.ask('PATCH', `${CONFIGURATIONS.replace('v1beta1', 'v1')}/x`, change).status).toBe(200);
  });

  it('of v1 fail, match equivalents, wait for 10 s, and have to say it', () => {
    const world = new World('1.22');
    const collection = CONFIGURATIONS.replace('v1beta1', 'v1');
    const told = { sideEffects: 'None', admissionReviewVersions: ['v1'] };
    expect(world.create(collection, { webhooks: [{ ...hook, ...told }] }).body).toMatchObject({
      webhooks: [{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 }],
    });
    const { message } = world.create(collection, { webhooks: [hook] }, 'y').body;
    expect(message).toContain('webhooks[0].sideEffects: Required value');
    expect(message).toContain('webhooks[0].admissionReviewVersions: Required value');
    const unknown = { ...hook, ...told, sideEffects: 'Unknown' };
    expect(world.create(collection, { webhooks: [unknown] }, 'y').body['message']).toContain(
      'Unsupported value',
    );
    const twice = {
      webhooks: [
        { ...hook, ...told },
        { ...hook, ...told },
      ],
    };
    expect(world.create(collection, twice, 'y').body['message']).toContain('Duplicate value');
  });
});

describe('1.22: definitions of custom resources', () => {
  const names = { plural: 'widgets', kind: 'Widget' };
  const collection = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
  const column = { name: 'Size', type: 'integer' };
  const old = {
    spec: {
      group: 'x.io',
      version: 'v1',
      names,
      validation: {
        openAPIV3Schema: { properties: { spec: { properties: { size: { type: 'integer' } } } } },
      },
      subresources: { status: {} },
      additionalPrinterColumns: [{ ...column, JSONPath: '.spec.size' }],
    },
  };

  it('of v1beta1 have one schema for all versions, which may say little, and keep what it does not name', () => {
    const world = new World('1.21');
    const made = world.create(collection, old, 'widgets.x.io');
    expect(made.status).toBe(201);
    expect(made.body['spec']).toMatchObject({
      ...old.spec,
      scope: 'Namespaced',
      preserveUnknownFields: true,
    });
    const heir = world.ask('GET', `${collection.replace('v1beta1', 'v1')}/widgets.x.io`).body['spec'];
    expect(heir).toMatchObject({
      preserveUnknownFields: true,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: old.spec.validation,
          subresources: { status: {} },
          additionalPrinterColumns: [{ ...column, jsonPath: '.spec.size' }],
        },
      ],
    });
    for (const member of ['version', 'validation', 'subresources', 'additionalPrinterColumns'])
      expect(heir).not.toHaveProperty(member);
    world.cluster.advance(seconds(3));
    const widget = world.create(
      inDefault('x.io/v1', 'widgets'),
      { apiVersion: 'x.io/v1', kind: 'Widget', more: { a: 1 } },
      'w',
    );
    expect(widget.body).toMatchObject({ more: { a: 1 } });
    world.upgrade('1.22');
    world.cluster.advance(seconds(3));
    expect(world.ask('GET', `${inDefault('x.io/v1', 'widgets')}/w`).body).toMatchObject({ more: { a: 1 } });
  });

  it('of v1beta1 say how to convert in two members, and of v1 in one', () => {
    const world = new World('1.21');
    const client = { url: 'https://example.com/convert' };
    const spec = {
      ...old.spec,
      preserveUnknownFields: false,
      validation: { openAPIV3Schema: { type: 'object' } },
      conversion: { strategy: 'Webhook', webhookClientConfig: client },
    };
    const made = world.create(collection, { spec }, 'widgets.x.io').body['spec'];
    expect(made).toMatchObject({
      conversion: { webhookClientConfig: client, conversionReviewVersions: ['v1beta1'] },
    });
    const heir = world.ask('GET', `${collection.replace('v1beta1', 'v1')}/widgets.x.io`).body['spec'];
    expect(heir).toMatchObject({
      conversion: { webhook: { clientConfig: client, conversionReviewVersions: ['v1beta1'] } },
    });
  });

  it('of v1 need a scope and a structural schema, and drop what it does not name', () => {
    const world = new World('1.22');
    const v1 = collection.replace('v1beta1', 'v1');
    const spec = { group: 'x.io', names, versions: [{ name: 'v1', served: true, storage: true }] };
    const message = String(world.create(v1, { spec }, 'widgets.x.io').body['message']);
    expect(message).toContain('spec.scope: Required value');
    expect(message).toContain('schemas are required');
    const kept = { ...spec, scope: 'Namespaced', preserveUnknownFields: true };
    expect(world.create(v1, { spec: kept }, 'widgets.x.io').body['message']).toContain(
      'spec.preserveUnknownFields',
    );
    expect(world.ask('GET', collection).status).toBe(404);
  });
});

describe('1.22: certificate requests', () => {
  const collection = '/apis/certificates.k8s.io/v1beta1/certificatesigningrequests';
  const request = USER_REQUEST;

  it('of v1beta1 need no signer, and may repeat usages', () => {
    const world = new World('1.21');
    const made = world.create(collection, { spec: { request, usages: ['client auth', 'client auth'] } });
    expect(made).toMatchObject({
      status: 201,
      body: { spec: { signerName: 'kubernetes.io/legacy-unknown', usages: ['client auth', 'client auth'] } },
    });
    const { body } = world.create(collection, { spec: { request } }, 'y');
    expect(body).toMatchObject({ spec: { usages: ['digital signature', 'key encipherment'] } });
  });

  it('of v1 need both, each usage once', () => {
    const v1 = collection.replace('v1beta1', 'v1');
    const world = new World('1.22');
    const bare = String(world.create(v1, { spec: { request } }).body['message']);
    expect(bare).toContain('spec.signerName: Required value');
    expect(bare).toContain('spec.usages: Required value');
    const spec = { request, signerName: 'x.io/s', usages: ['client auth', 'client auth'] };
    expect(world.create(v1, { spec }).body['message']).toContain('spec.usages[1]: Duplicate value');
  });
});

it('1.22: access reviews of v1beta1 name groups in spec.group, and those of v1 in spec.groups', () => {
  const world = new World('1.21');
  const review = { resourceAttributes: { verb: 'get', resource: 'pods' } };
  const old = world.ask('POST', '/apis/authorization.k8s.io/v1beta1/subjectaccessreviews', {
    spec: { ...review, user: 'u', group: ['a'] },
  });
  expect(old.body).toMatchObject({ spec: { group: ['a'] }, status: { allowed: true } });
  expect(old.body['spec']).not.toHaveProperty('groups');
  const fresh = world.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    spec: { ...review, user: 'u', groups: ['a'] },
  });
  expect(fresh.body).toMatchObject({ spec: { groups: ['a'] }, status: { allowed: true } });
  world.upgrade('1.22');
  expect(world.ask('POST', '/apis/authorization.k8s.io/v1beta1/subjectaccessreviews', {}).status).toBe(404);
});

describe('1.25: budgets', () => {
  it('of v1beta1 choose no pods by an empty selector, and of v1 all', () => {
    const world = new World('1.24');
    const empty = { spec: { minAvailable: 1, selector: {} } };
    const [beta, stable] = ['policy/v1beta1', 'policy/v1'].map((version) =>
      inDefault(version, 'poddisruptionbudgets'),
    );
    const none = world.create(beta ?? '', empty, 'none');
    const all = world.create(stable ?? '', empty, 'all');
    expect([none.body, all.body]).toMatchObject([empty, empty]);
    const requirement = (operator: string) => ({
      matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator }],
    });
    expect(world.ask('GET', `${stable ?? ''}/none`).body).toMatchObject({
      spec: { selector: requirement('Exists') },
    });
    expect(world.ask('GET', `${beta ?? ''}/all`).body).toMatchObject({
      spec: { selector: requirement('DoesNotExist') },
    });
    const unset = world.create(beta ?? '', { spec: { minAvailable: 1 } }, 'unset');
    expect(unset.body['spec']).not.toHaveProperty('selector');
    expect(world.ask('GET', `${stable ?? ''}/unset`).body['spec']).not.toHaveProperty('selector');
  });
});

describe('1.25: endpoint slices', () => {
  const beta = inDefault('discovery.k8s.io/v1beta1', 'endpointslices');
  const stable = inDefault('discovery.k8s.io/v1', 'endpointslices');
  const topology = { 'kubernetes.io/hostname': 'n1', 'topology.kubernetes.io/zone': 'z1', rack: 'r1' };

  it('of v1beta1 have a topology, and of v1 a node, a zone, and what was left of it', () => {
    const world = new World('1.24');
    const endpoint = { addresses: ['10.0.0.1'], topology };
    const made = world.create(beta, { addressType: 'IPv4', endpoints: [endpoint] });
    expect(made.body).toMatchObject({ endpoints: [{ topology }] });
    const heir = { nodeName: 'n1', zone: 'z1', deprecatedTopology: { rack: 'r1' } };
    expect(world.ask('GET', `${stable}/x`).body).toMatchObject({ endpoints: [heir] });
  });

  it('of v1 take no old topology', () => {
    const world = new World('1.25');
    const endpoint = { addresses: ['10.0.0.1'], nodeName: 'n1', deprecatedTopology: { rack: 'r1' } };
    const { body } = world.create(stable, { addressType: 'IPv4', endpoints: [endpoint] });
    expect(body).toMatchObject({ endpoints: [{ nodeName: 'n1' }] });
    expect(JSON.stringify(body['endpoints'])).not.toContain('rack');
  });
});

describe('1.25: events', () => {
  const old = {
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    note: 'n',
    type: 'Odd',
    deprecatedCount: 3,
  };

  it('of v1beta1 may be of any type and counted, without a time', () => {
    const world = new World('1.24');
    const made = world.create(inDefault('events.k8s.io/v1beta1', 'events'), old);
    expect(made).toMatchObject({ status: 201, body: { type: 'Odd', deprecatedCount: 3 } });
    expect(world.ask('GET', '/api/v1/namespaces/default/events/x').body).toMatchObject({
      involvedObject: old.regarding,
      message: 'n',
      count: 3,
    });
  });

  it('of v1 say when, what and by whom, are Normal or Warning, and count in series', () => {
    const world = new World('1.25');
    const collection = inDefault('events.k8s.io/v1', 'events');
    const refused = String(world.create(collection, old).body['message']);
    for (const part of ['eventTime: Required value', 'type: Invalid value', 'count: Invalid value'])
      expect(refused).toContain(part);
    const eventTime = '2025-01-01T00:00:00.000000Z';
    const bare = world.create(collection, { regarding: old.regarding, type: 'Normal', eventTime });
    for (const member of ['reportingController', 'reportingInstance', 'action', 'reason'])
      expect(String(bare.body['message'])).toContain(`${member}: Required value`);
  });
});

describe('1.26, 1.29 and 1.32: priority levels', () => {
  const group = 'flowcontrol.apiserver.k8s.io';
  const level = (member: string, shares?: number) => ({
    spec: {
      type: 'Limited',
      limited: { ...(shares !== undefined && { [member]: shares }), limitResponse: { type: 'Reject' } },
    },
  });
  const of = (version: string): string => `/apis/${group}/${version}/prioritylevelconfigurations`;

  it('have assured shares up to v1beta2, and nominal ones from v1beta3 on', () => {
    const world = new World('1.28');
    const made = world.create(of('v1beta2'), level('assuredConcurrencyShares', 12));
    expect(made.body).toMatchObject(level('assuredConcurrencyShares', 12));
    expect(world.ask('GET', `${of('v1beta3')}/x`).body).toMatchObject(level('nominalConcurrencyShares', 12));
    world.upgrade('1.29');
    expect(world.ask('GET', `${of('v1')}/x`).body).toMatchObject(level('nominalConcurrencyShares', 12));
    expect(world.ask('GET', `${of('v1beta2')}/x`).status).toBe(404);
  });

  it('take 0 shares for 30 in beta versions, and for 0 in v1', () => {
    const world = new World('1.31');
    expect(world.create(of('v1beta3'), level('nominalConcurrencyShares', 0)).body).toMatchObject(
      level('nominalConcurrencyShares', 30),
    );
    expect(world.create(of('v1'), level('nominalConcurrencyShares', 0), 'y').body).toMatchObject(
      level('nominalConcurrencyShares', 0),
    );
    expect(world.create(of('v1'), level('nominalConcurrencyShares'), 'z').body).toMatchObject(
      level('nominalConcurrencyShares', 30),
    );
    world.upgrade('1.32');
    expect(world.ask('GET', of('v1beta3')).status).toBe(404);
    expect(world.ask('GET', `${of('v1')}/y`).body).toMatchObject(level('nominalConcurrencyShares', 0));
  });
});

describe('autoscalers', () => {
  it('1.25: of v2beta1 put a metric and its target side by side', () => {
    const world = new World('1.24');
    const scaled = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
    };
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }];
    const collection = (version: string) => inDefault(`autoscaling/${version}`, 'horizontalpodautoscalers');
    const made = world.create(collection('v2beta1'), { spec: { ...scaled, metrics } });
    expect(made).toMatchObject({ status: 201, body: { spec: { metrics } } });
    const target = { type: 'Utilization', averageUtilization: 50 };
    for (const version of ['v2beta2', 'v2'])
      expect(world.ask('GET', `${collection(version)}/x`).body).toMatchObject({
        spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] },
      });
    world.upgrade('1.25');
    expect(world.ask('GET', collection('v2beta1')).status).toBe(404);
    expect(world.ask('GET', `${collection('v2beta2')}/x`).status).toBe(200);
    world.upgrade('1.26');
    expect(world.ask('GET', collection('v2beta2')).status).toBe(404);
    expect(world.ask('GET', `${collection('v2')}/x`).status).toBe(200);
  });
});

/** Rows of the table without notable changes: the same shape on both sides. */
const SAME: readonly (readonly [
  before: string,
  after: string,
  version: string,
  heir: string,
  resource: string,
  body: object,
])[] = [
  [
    '1.26',
    '1.27',
    'storage.k8s.io/v1beta1',
    'storage.k8s.io/v1',
    'csistoragecapacities',
    { storageClassName: 's', capacity: '1Gi' },
  ],
  [
    '1.24',
    '1.25',
    'batch/v1beta1',
    'batch/v1',
    'cronjobs',
    {
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
      },
    },
  ],
  ['1.24', '1.25', 'node.k8s.io/v1beta1', 'node.k8s.io/v1', 'runtimeclasses', { handler: 'h' }],
  [
    '1.21',
    '1.22',
    'apiregistration.k8s.io/v1beta1',
    'apiregistration.k8s.io/v1',
    'apiservices',
    {
      spec: {
        group: 'x.io',
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 's' },
      },
    },
  ],
  [
    '1.21',
    '1.22',
    'coordination.k8s.io/v1beta1',
    'coordination.k8s.io/v1',
    'leases',
    { spec: { holderIdentity: 'me' } },
  ],
  [
    '1.21',
    '1.22',
    'networking.k8s.io/v1beta1',
    'networking.k8s.io/v1',
    'ingressclasses',
    { spec: { controller: 'x.io/c' } },
  ],
  [
    '1.21',
    '1.22',
    'rbac.authorization.k8s.io/v1beta1',
    'rbac.authorization.k8s.io/v1',
    'clusterroles',
    { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ],
  ['1.21', '1.22', 'scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1', 'priorityclasses', { value: 7 }],
  [
    '1.21',
    '1.22',
    'storage.k8s.io/v1beta1',
    'storage.k8s.io/v1',
    'csidrivers',
    { spec: { attachRequired: true } },
  ],
  [
    '1.21',
    '1.22',
    'storage.k8s.io/v1beta1',
    'storage.k8s.io/v1',
    'csinodes',
    { spec: { drivers: [{ name: 'x.io', nodeID: 'n' }] } },
  ],
  [
    '1.21',
    '1.22',
    'storage.k8s.io/v1beta1',
    'storage.k8s.io/v1',
    'storageclasses',
    { provisioner: 'x.io/p' },
  ],
  [
    '1.21',
    '1.22',
    'storage.k8s.io/v1beta1',
    'storage.k8s.io/v1',
    'volumeattachments',
    { spec: { attacher: 'x.io', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
  ],
];
const NAMESPACED = ['cronjobs', 'leases', 'csistoragecapacities'];

describe('a version whose heir is of the same shape', () => {
  it.each(SAME)('%s to %s: %s is %s afterwards, %s', (before, after, version, heir, resource, body) => {
    const world = new World(before);
    const path = (of: string): string =>
      NAMESPACED.includes(resource) ? inDefault(of, resource) : `/apis/${of}/${resource}`;
    const name = resource === 'apiservices' ? 'v1.x.io' : 'x';
    const made = world.create(path(version), body, name);
    expect([made.status, made.warnings.length]).toEqual([201, 1]);
    // Of runtime classes nothing was said of what takes their place.
    const use = resource === 'runtimeclasses' ? '' : `; use ${heir}`;
    expect(made.warnings[0]).toContain(`unavailable in v${after}+${use}`);
    world.upgrade(after);
    expect(world.ask('GET', path(version)).status).toBe(404);
    expect(world.ask('GET', `${path(heir)}/${name}`)).toMatchObject({ status: 200, body, warnings: [] });
  });

  it('1.22: token reviews of v1beta1 answer as those of v1', () => {
    const world = new World('1.21');
    const answers = ['v1beta1', 'v1'].map((version) =>
      world.ask('POST', `/apis/authentication.k8s.io/${version}/tokenreviews`, { spec: { token: 'none' } }),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.body['status']).toEqual(answers[1]?.body['status']);
    world.upgrade('1.22');
    expect(world.ask('POST', '/apis/authentication.k8s.io/v1beta1/tokenreviews', {}).status).toBe(404);
  });
});

it('a version that is to go can be switched off before it does', () => {
  const world = new World('1.24', { runtimeConfig: 'batch/v1beta1=false' });
  expect(world.ask('GET', inDefault('batch/v1beta1', 'cronjobs')).status).toBe(404);
  expect(world.ask('GET', inDefault('batch/v1', 'cronjobs')).status).toBe(200);
});

describe('what is stored', () => {
  const stored = (world: World): string | undefined =>
    world.cluster.storage.get('/registry/poddisruptionbudgets/default/x')?.value.apiVersion;
  const collection = inDefault('policy/v1beta1', 'poddisruptionbudgets');
  const stable = inDefault('policy/v1', 'poddisruptionbudgets');

  it('stays in its version until it is written, be it unchanged, and then only once', () => {
    const world = new World('1.21');
    world.create(collection, { spec: { minAvailable: 1 } });
    expect(stored(world)).toBe('policy/v1beta1');
    world.upgrade('1.22');
    const { body } = world.ask('GET', `${stable}/x`);
    expect(stored(world)).toBe('policy/v1beta1');
    const { body: written } = world.ask('PUT', `${stable}/x`, body);
    expect(stored(world)).toBe('policy/v1');
    const { body: again } = world.ask('PUT', `${stable}/x`, written);
    const versionOf = ({ metadata }: Members) => (metadata as { resourceVersion: string }).resourceVersion;
    expect(versionOf(written)).not.toBe(versionOf(body));
    expect(versionOf(again)).toBe(versionOf(written));
  });

  it('is written anew by a migration, and can still be gone back from', () => {
    const world = new World('1.21');
    world.create(collection, { spec: { minAvailable: 1, selector: {} } });
    world.upgrade('1.22');
    expect(migrateStorage(world.cluster)).toBeGreaterThan(0);
    expect([stored(world), migrateStorage(world.cluster)]).toEqual(['policy/v1', 0]);
    world.upgrade('1.21');
    expect(world.ask('GET', `${collection}/x`).body).toMatchObject({
      spec: { minAvailable: 1, selector: {} },
    });
  });

  it('loses what an older release does not know only when that one writes it', () => {
    const world = new World('1.33');
    const spec = {
      selector: SELECTOR,
      template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, resources: { limits: { cpu: '1' } } } },
    };
    world.create(inDefault('apps/v1', 'deployments'), { spec });
    const resources = (): unknown => {
      const { body } = world.ask('GET', `${inDefault('apps/v1', 'deployments')}/x`);
      return (body['spec'] as { template: { spec: { resources?: unknown } } }).template.spec.resources;
    };
    const before = resources();
    world.upgrade('1.30');
    expect(resources()).toBeUndefined();
    world.upgrade('1.33');
    expect(resources()).toEqual(before);
  });
});
