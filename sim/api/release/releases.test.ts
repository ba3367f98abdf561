import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { differingReleaseTables } from '../../cli/import-releases.ts';
import { lifeCycleOf } from '../life-cycle/life-cycles.ts';
import { ACTING_GATES } from './acting-gates.ts';
import { isGraduated } from './gates-of-release.ts';
import { findRelease, nameOfRelease, RELEASE_NAMES } from './releases.ts';
import { RELEASE_1_31 } from './release-1-31.ts';
import type { Release } from './release.ts';

const source = process.env['KUBESIM_CATALOG'];

function release(name: string): Release {
  const found = findRelease(name);
  if (!found) throw new Error(`there is no release ${name}`);
  return found;
}

const serves = (name: string, apiVersion: string, kind: string): boolean =>
  release(name).catalog.resources.all.some(
    (fact) =>
      fact.isDefault &&
      fact.kind === kind &&
      (fact.group === '' ? fact.version : `${fact.group}/${fact.version}`) === apiVersion,
  );

const fieldsOf = (name: string, key: string): readonly string[] =>
  release(name)
    .catalog.types.structOf(key)
    .fields.map((field) => field.name);

describe('releases', () => {
  it('are 1.15 to 1.37, known by their names, and 1.31 is the one that it was', () => {
    expect(RELEASE_NAMES).toHaveLength(23);
    expect(findRelease('v1.31.2')).toBe(RELEASE_1_31);
    expect(findRelease('1.24')).toBe(findRelease('1.24.7'));
    for (const name of ['1.14', '1.38', '2.0', 'latest']) expect(findRelease(name)).toBeUndefined();
    for (const name of RELEASE_NAMES) expect(nameOfRelease(release(name))).toBe(name);
  });

  it.runIf(source)('have the tables that the script makes of their facts', () => {
    expect(differingReleaseTables(source ?? '')).toEqual([]);
  });

  it('have types that can be made, each with the columns and labels of its resource', () => {
    for (const name of ['1.15', '1.20', '1.25', '1.36', '1.37']) {
      const { types, resources, kinds, columns, fieldLabels } = release(name).catalog;
      for (const key of types.allKeys()) expect(types.structOf(key).key).toBe(key);
      for (const fact of resources.all) {
        expect(kinds.find(fact), `${name} ${fact.group}/${fact.version} ${fact.kind}`).toBeDefined();
        if (!fact.verbs.includes('list') || fact.resource === 'podsecuritypolicies') continue;
        if (fact.isDefault)
          expect([name, fact.resource, fieldLabels.of(fact) !== undefined]).toEqual([
            name,
            fact.resource,
            true,
          ]);
        if (fact.isDefault) expect(columns.of(fact)).toBeDefined();
      }
    }
  });

  it('have the members that they had, and no others', () => {
    expect(fieldsOf('1.17', 'v1.PodSpec')).not.toContain('ephemeralContainersX');
    expect(fieldsOf('1.17', 'v1.PodSpec')).not.toContain('resourceClaims');
    expect(fieldsOf('1.31', 'v1.PodSpec')).not.toContain('hostnameOverride');
    expect(fieldsOf('1.34', 'v1.PodSpec')).toContain('hostnameOverride');
    expect(fieldsOf('1.20', 'discovery.k8s.io/v1beta1.Endpoint')).toContain('topology');
    expect(fieldsOf('1.17', 'v1.Container')).not.toContain('resizePolicy');
  });
});

/** The specification's table: the release, what it no longer serves, and what takes its place. */
const REMOVED: readonly (readonly [release: string, apiVersion: string, kinds: readonly string[]])[] = [
  ['1.32', 'flowcontrol.apiserver.k8s.io/v1beta3', ['FlowSchema', 'PriorityLevelConfiguration']],
  ['1.29', 'flowcontrol.apiserver.k8s.io/v1beta2', ['FlowSchema', 'PriorityLevelConfiguration']],
  ['1.27', 'storage.k8s.io/v1beta1', ['CSIStorageCapacity']],
  ['1.26', 'flowcontrol.apiserver.k8s.io/v1beta1', ['FlowSchema', 'PriorityLevelConfiguration']],
  ['1.26', 'autoscaling/v2beta2', ['HorizontalPodAutoscaler']],
  ['1.25', 'batch/v1beta1', ['CronJob']],
  ['1.25', 'discovery.k8s.io/v1beta1', ['EndpointSlice']],
  ['1.25', 'events.k8s.io/v1beta1', ['Event']],
  ['1.25', 'autoscaling/v2beta1', ['HorizontalPodAutoscaler']],
  ['1.25', 'policy/v1beta1', ['PodDisruptionBudget', 'PodSecurityPolicy']],
  ['1.25', 'node.k8s.io/v1beta1', ['RuntimeClass']],
  [
    '1.22',
    'admissionregistration.k8s.io/v1beta1',
    ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  ],
  ['1.22', 'apiextensions.k8s.io/v1beta1', ['CustomResourceDefinition']],
  ['1.22', 'apiregistration.k8s.io/v1beta1', ['APIService']],
  ['1.22', 'authentication.k8s.io/v1beta1', ['TokenReview']],
  [
    '1.22',
    'authorization.k8s.io/v1beta1',
    ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SubjectAccessReview', 'SelfSubjectRulesReview'],
  ],
  ['1.22', 'certificates.k8s.io/v1beta1', ['CertificateSigningRequest']],
  ['1.22', 'coordination.k8s.io/v1beta1', ['Lease']],
  ['1.22', 'extensions/v1beta1', ['Ingress']],
  ['1.22', 'networking.k8s.io/v1beta1', ['Ingress', 'IngressClass']],
  ['1.22', 'rbac.authorization.k8s.io/v1beta1', ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']],
  ['1.22', 'scheduling.k8s.io/v1beta1', ['PriorityClass']],
  ['1.22', 'storage.k8s.io/v1beta1', ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment']],
  [
    '1.16',
    'extensions/v1beta1',
    ['NetworkPolicy', 'DaemonSet', 'Deployment', 'ReplicaSet', 'PodSecurityPolicy'],
  ],
  ['1.16', 'apps/v1beta1', ['Deployment', 'StatefulSet']],
  ['1.16', 'apps/v1beta2', ['DaemonSet', 'Deployment', 'StatefulSet', 'ReplicaSet']],
];

test.each(REMOVED)(
  '%s does not serve %s any more, the release before it does: %j',
  (name, apiVersion, kinds) => {
    const before = RELEASE_NAMES[RELEASE_NAMES.indexOf(name) - 1] ?? '';
    for (const kind of kinds) {
      expect([kind, serves(before, apiVersion, kind), serves(name, apiVersion, kind)]).toEqual([
        kind,
        true,
        false,
      ]);
      const replacement = lifeCycleOf({ apiVersion, kind })?.replacement;
      // Pod security policies have none of their kind.
      if (replacement === undefined) continue;
      if (kind !== 'PodSecurityPolicy') expect(serves(name, replacement.apiVersion, kind)).toBe(true);
    }
  },
);

describe('what a release stores', () => {
  const stored = (name: string, group: string, resource: string) =>
    release(name).rules.versions?.stored(group, resource);

  it('is what the release before it can read', () => {
    expect(stored('1.21', 'policy', 'poddisruptionbudgets')).toBe('policy/v1beta1');
    expect(stored('1.22', 'policy', 'poddisruptionbudgets')).toBe('policy/v1');
    expect(stored('1.19', 'networking.k8s.io', 'ingresses')).toBe('networking.k8s.io/v1beta1');
    expect(stored('1.20', 'extensions', 'ingresses')).toBe('networking.k8s.io/v1');
    expect(stored('1.34', 'resource.k8s.io', 'deviceclasses')).toBe('resource.k8s.io/v1beta2');
  });

  it('advances for every resource by that rule alone', () => {
    for (const [index, name] of RELEASE_NAMES.entries()) {
      const before = RELEASE_NAMES[index - 1];
      if (before === undefined) continue;
      const all = release(before).catalog.resources.all;
      for (const { group, resource } of release(name).catalog.resources.all) {
        const apiVersion = stored(name, group, resource);
        const earlier = all.filter((fact) => fact.resource === resource && fact.isDefault);
        const isNew = !earlier.some((fact) => fact.group === group);
        const known = earlier.map((fact) =>
          fact.group === '' ? fact.version : `${fact.group}/${fact.version}`,
        );
        const isAlpha = earlier.every((fact) => fact.version.includes('alpha'));
        if (
          isNew ||
          isAlpha ||
          apiVersion === undefined ||
          resource === 'volumeattributesclasses' ||
          resource === 'endpointslices'
        )
          continue;
        expect([name, resource, known.includes(apiVersion) ? apiVersion : known]).toEqual([
          name,
          resource,
          apiVersion,
        ]);
      }
    }
  });
});

describe('feature gates of a release', () => {
  const gate = (release: string, name: string) => findRelease(release)?.gates.get(name);

  it('are all that its servers know', () => {
    expect(['1.29', '1.31', '1.36'].map((name) => findRelease(name)?.gates.size)).toEqual([162, 167, 242]);
    expect(gate('1.33', 'APIListChunking')).toBeUndefined();
  });

  it('are documented ones before: alpha, beta, stable, and gone', () => {
    expect(gate('1.17', 'IPv6DualStack')).toEqual({ stage: 'alpha', isOnByDefault: false });
    expect(gate('1.21', 'IPv6DualStack')).toEqual({ stage: 'beta', isOnByDefault: true });
    expect(gate('1.24', 'IPv6DualStack')).toEqual({ stage: 'stable', isOnByDefault: true, isLocked: true });
    expect(gate('1.25', 'IPv6DualStack')).toBeUndefined();
    expect(gate('1.22', 'DynamicKubeletConfig')).toEqual({ stage: 'deprecated', isOnByDefault: false });
    expect(gate('1.15', 'WatchList')).toBeUndefined();
  });

  it('go with their features for good, or without', () => {
    expect([27, 28, 29, 31].map((minor) => isGraduated(minor, 'DryRun'))).toEqual([true, true, true, true]);
    expect(isGraduated(18, 'DryRun')).toBe(false);
    expect(isGraduated(29, 'OpenAPIV3')).toBe(true);
    expect(isGraduated(26, 'DynamicKubeletConfig')).toBe(false);
    expect(isGraduated(15, 'WatchList')).toBe(false);
    expect(isGraduated(31, 'Nonsense')).toBe(false);
  });

  it('that are said to act are looked at somewhere', () => {
    const room = join(import.meta.dirname, '../..');
    const sources = (readdirSync(room, { recursive: true }) as string[])
      .filter((name) => /\.ts$/.test(name) && !/test\.ts$|acting-gates|gate-locks|tables/.test(name))
      .map((name) => readFileSync(join(room, name), 'utf8'));
    const idle = [...ACTING_GATES].filter((name) => !sources.some((text) => text.includes(`'${name}'`)));
    expect(idle).toEqual([]);
  });

  it('are locked once they are stable, but for a few', () => {
    expect(gate('1.31', 'PodSchedulingReadiness')).toEqual({
      stage: 'stable',
      isOnByDefault: true,
      isLocked: true,
    });
    expect(gate('1.34', 'ExecProbeTimeout')).not.toHaveProperty('isLocked');
    expect(gate('1.35', 'ExecProbeTimeout')).toHaveProperty('isLocked');
    expect(gate('1.31', 'KMSv1')).toEqual({ stage: 'deprecated', isOnByDefault: false });
    expect(gate('1.36', 'GitRepoVolumeDriver')).toMatchObject({ stage: 'deprecated', isLocked: true });
  });
});
