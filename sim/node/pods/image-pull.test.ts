import { describe, expect, it } from 'vitest';
import { seconds } from '../../engine/time.ts';
import { cluster, container, create, eventsOf, untilPhase } from '../../cluster/pod-world.fixture.ts';

const PULLED =
  /^Pulled: Successfully pulled image "app:1" in [0-9.]+m?s \([0-9.]+m?s including waiting\)\. Image size: [0-9]+ bytes\.$/;

describe('the image of a container', () => {
  it('is pulled once, and used again', () => {
    const world = cluster();
    create(world, 'one');
    untilPhase(world, 'one', 'Running');
    create(world, 'two');
    untilPhase(world, 'two', 'Running');
    expect(eventsOf(world, 'one')).toEqual(
      expect.arrayContaining(['Pulling: Pulling image "app:1"', expect.stringMatching(PULLED)]),
    );
    expect(eventsOf(world, 'two')).toContain('Pulled: Container image "app:1" already present on machine');
    expect(container(world, 'two')).toMatchObject({
      image: 'docker.io/library/app:1',
      imageID: expect.stringMatching(/^docker\.io\/library\/app@sha256:[0-9a-f]{64}$/),
    });
  });

  it('waits for the pulls before it', () => {
    const world = cluster();
    for (const name of ['one', 'two', 'three']) create(world, name, { containers: [{ image: `${name}:1` }] });
    world.advance(seconds(20));
    const pulls = ['one', 'two', 'three'].flatMap((name) =>
      eventsOf(world, name).flatMap((text) => {
        const [, alone = '', all = ''] = / in (\S+) \((\S+) including/.exec(text) ?? [];
        return alone === '' ? [] : [{ alone, hasWaited: alone !== all }];
      }),
    );
    expect(pulls.filter(({ hasWaited }) => hasWaited)).toHaveLength(2);
  });

  it('that nobody has cannot be pulled', () => {
    const world = cluster();
    create(world, 'nobody', { containers: [{ image: 'webserver:404' }] });
    world.advance(seconds(8));
    expect(container(world, 'nobody')?.state?.waiting?.reason).toBe('ImagePullBackOff');
  });

  it('that is not there is told with each try, and each pause', () => {
    const world = cluster();
    create(world, 'typo', { behaviours: { main: { imageMissing: true } } });
    world.advance(seconds(8));
    const failure =
      'failed to pull and unpack image "docker.io/library/app:1": failed to resolve reference "docker.io/library/app:1": docker.io/library/app:1: not found';
    expect(new Set(eventsOf(world, 'typo'))).toEqual(
      new Set([
        'Pulling: Pulling image "app:1"',
        `Failed: Failed to pull image "app:1": ${failure}`,
        'Failed: Error: ErrImagePull',
        'BackOff: Back-off pulling image "app:1"',
        'Failed: Error: ImagePullBackOff',
      ]),
    );
    expect(container(world, 'typo')?.state?.waiting).toEqual({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "app:1"',
    });
  });

  it('may not be pulled at all', () => {
    const world = cluster();
    create(world, 'local', { containers: [{ imagePullPolicy: 'Never' }] });
    world.advance(seconds(1));
    const message = 'Container image "app:1" is not present with pull policy of Never';
    expect(container(world, 'local')?.state?.waiting).toEqual({ reason: 'ErrImageNeverPull', message });
    expect(eventsOf(world, 'local')).toContain(`ErrImageNeverPull: ${message}`);
  });

  it('that may not be pulled is looked for again and again, without a pause that grows', () => {
    const world = cluster();
    create(world, 'local', { containers: [{ imagePullPolicy: 'Never' }] });
    world.advance(seconds(40));
    expect(container(world, 'local')?.state?.waiting?.reason).toBe('ErrImageNeverPull');
    expect(eventsOf(world, 'local').join()).not.toContain('Back-off pulling image');
    create(world, 'other');
    world.advance(seconds(40));
    expect(container(world, 'local')?.state?.running).toBeDefined();
  });

  it.each([
    ['Web:1', 'invalid reference format: repository name (library/Web) must be lowercase'],
    ['http://web', 'invalid reference format'],
    ['web:1:2', 'invalid reference format'],
  ])('cannot be called %s', (image, problem) => {
    const world = cluster();
    create(world, 'typo', { containers: [{ image }] });
    world.advance(seconds(30));
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${problem}`;
    expect(container(world, 'typo')?.state?.waiting).toEqual({ reason: 'InvalidImageName', message });
    expect(eventsOf(world, 'typo')).toContain(`InspectFailed: ${message}`);
    expect(eventsOf(world, 'typo')).toContain('Failed: Error: InvalidImageName');
  });

  it('is pulled though a secret for its registry is missing, which is told', () => {
    const world = cluster();
    world.client.secrets.create({ metadata: { name: 'there' } });
    create(world, 'web', { imagePullSecrets: [{ name: 'none' }, { name: 'there' }, { name: 'nor-this' }] });
    untilPhase(world, 'web', 'Running');
    world.advance(seconds(1));
    expect(eventsOf(world, 'web')).toContain(
      'FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (none, nor-this); attempting to pull the image may not succeed.',
    );
  });
});
