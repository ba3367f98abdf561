/** Rules of pods and of their templates, as a real 1.31 server has them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Ask, askedServer, type Reply } from '../../../cli/golden/asked-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const TEMPLATES = '/api/v1/namespaces/default/podtemplates?dryRun=All';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const CONTAINER = { name: 'c', image: 'i' };

let ask: Ask;
beforeAll(() => {
  ask = askedServer();
  ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});

const post = (spec: object, annotations = {}): Reply =>
  ask('POST', `${PODS}?dryRun=All`, { metadata: { name: 'p', annotations }, spec });
const postTemplate = (spec: object, annotations = {}): Reply =>
  ask('POST', TEMPLATES, { metadata: { name: 't' }, template: { metadata: { annotations }, spec } });

describe('an AppArmor annotation', () => {
  test('beside no profile is warned of, and makes the profile of a new pod', () => {
    const annotations = { [`${APP_ARMOR}c`]: 'runtime/default' };
    const ofPod = post({ containers: [CONTAINER] }, annotations);
    expect(ofPod.warnings).toEqual([
      `metadata.annotations[${APP_ARMOR}c]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ]);
    expect(ofPod.body).toMatchObject({
      spec: { containers: [{ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }] },
    });
    expect(postTemplate({ containers: [CONTAINER] }, annotations).warnings).toEqual([
      `template.metadata.annotations[${APP_ARMOR}c]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ]);
  });

  test.each([
    ['unconfined', { type: 'RuntimeDefault' }, 'type: Forbidden: apparmor type'],
    [
      'localhost/a',
      { type: 'Localhost', localhostProfile: 'b' },
      'localhostProfile: Forbidden: apparmor profile',
    ],
  ])('%s may not contradict the profile', (said, appArmorProfile, why) => {
    const { status, body } = postTemplate(
      { containers: [{ ...CONTAINER, securityContext: { appArmorProfile } }] },
      { [`${APP_ARMOR}c`]: said },
    );
    expect(status).toBe(422);
    expect(body.message).toContain(
      `securityContext.appArmorProfile.${why} in annotation and field must match`,
    );
  });
});

describe('a pod', () => {
  test('loses volumes of images, and their mounts', () => {
    const volumes = [
      { name: 'a', image: { reference: 'r' } },
      { name: 'b', emptyDir: {} },
    ];
    const volumeMounts = ['a', 'b'].map((name) => ({ name, mountPath: `/${name}` }));
    const { status, body } = postTemplate({ volumes, containers: [{ ...CONTAINER, volumeMounts }] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ template: { spec: { volumes: [{ name: 'b' }] } } });
    expect(JSON.stringify(body)).not.toContain('/a"');
  });

  test('may have a token under the path of another file, but no two other files under one', () => {
    const items = [{ key: 'k', path: 'x' }];
    const of = (...sources: object[]): number =>
      postTemplate({ volumes: [{ name: 'v', projected: { sources } }], containers: [CONTAINER] }).status;
    expect(of({ serviceAccountToken: { path: 'x' } }, { configMap: { name: 'm', items } })).toBe(201);
    expect(of({ secret: { name: 's', items } }, { configMap: { name: 'm', items } })).toBe(422);
  });

  test('is checked before its overhead is held against its runtime class', () => {
    expect(post({ overhead: { cpu: '1' } }).body.message).toBe(
      'Pod "p" is invalid: spec.containers: Required value',
    );
    for (const overhead of [{ cpu: '1' }, {}]) {
      expect(post({ containers: [CONTAINER], overhead }).body.message).toBe(
        'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      );
    }
  });

  test('is warned of when it is made, and never again', () => {
    const volumes = [{ name: 'r', rbd: { monitors: ['m'], image: 'i' } }];
    const made = ask('POST', PODS, { metadata: { name: 'w' }, spec: { volumes, containers: [CONTAINER] } });
    expect(made.warnings).toHaveLength(1);
    expect(ask('PATCH', `${PODS}/w`, { spec: { activeDeadlineSeconds: 5 } })).toMatchObject({
      status: 200,
      warnings: [],
    });
  });

  test.each([
    ['a', 'Always'],
    ['a:latest', 'Always'],
    ['a:1', 'IfNotPresent'],
    [`a:latest@sha256:${'0'.repeat(64)}`, 'Always'],
    [`a@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
    ['a..b', 'IfNotPresent'],
    ['a_b.c/d', 'Always'],
    ['x'.repeat(237), 'Always'],
    ['x'.repeat(238), 'IfNotPresent'],
    ['0'.repeat(64), 'IfNotPresent'],
  ])('of the image %s pulls it %s', (image, imagePullPolicy) => {
    expect(postTemplate({ containers: [{ name: 'c', image }] }).body).toMatchObject({
      template: { spec: { containers: [{ imagePullPolicy }] } },
    });
  });

  test('has ephemeral containers whose lists are known by their keys when they are applied', () => {
    const env = [{ name: 'a' }, { name: 'a' }];
    const applied = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'e' },
      spec: { containers: [CONTAINER], ephemeralContainers: [{ ...CONTAINER, env }] },
    };
    const { body } = ask('PATCH', `${PODS}/e?fieldManager=m`, applied, 'application/apply-patch+yaml');
    expect(body.message).toContain(
      '.spec.ephemeralContainers[name="c"].env: duplicate entries for key [name="a"]',
    );
  });
});
