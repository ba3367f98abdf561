import { describe, expect, it } from 'vitest';
import { seconds } from '../../engine/time.ts';
import { addNode, addPod, nodeOf, placed, world } from '../scheduling.fixture.ts';
import { checkSchedulerConfiguration } from './make-profiles.ts';
import type { SchedulerConfiguration } from './scheduler-configuration.ts';

const filter = (name: string): SchedulerConfiguration => ({
  profiles: [{ plugins: { filter: { enabled: [{ name }] } } }],
});
const CREATING = 'initializing profiles: creating profile for scheduler name default-scheduler: ';

describe('a configuration of schedulers that makes no sense', () => {
  it.each<[string, SchedulerConfiguration]>([
    ['profiles: Required value', { profiles: [] }],
    ['profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"', { profiles: [{}, {}] }],
    ['profiles[0].schedulerName: Required value', { profiles: [{ schedulerName: '' }] }],
    [
      'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
      { percentageOfNodesToScore: 101 },
    ],
    [`${CREATING}FilterPlugin "Nobody" does not exist`, filter('Nobody')],
    [`${CREATING}plugin "ImageLocality" does not extend FilterPlugin plugin`, filter('ImageLocality')],
    [
      `${CREATING}at least one bind plugin is needed for profile with scheduler name "default-scheduler"`,
      { profiles: [{ plugins: { bind: { disabled: [{ name: '*' }] } } }] },
    ],
    [
      'podMaxBackoffSeconds: Invalid value: 1: must be greater than or equal to PodInitialBackoffSeconds',
      { podInitialBackoffSeconds: 5, podMaxBackoffSeconds: 1 },
    ],
  ])('%s', (message, configuration) => {
    expect(() => checkSchedulerConfiguration(configuration)).toThrow(message);
  });
});

describe('several profiles', () => {
  it('serve the pods that ask for them, each with its plugins', () => {
    const careless = {
      schedulerName: 'careless',
      plugins: { filter: { disabled: [{ name: 'NodeUnschedulable' }] } },
    };
    const cluster = world({ scheduler: { profiles: [{}, careless] } });
    addNode(cluster, 'n');
    cluster.cordon('n');
    addPod(cluster, 'careful');
    addPod(cluster, 'careless', { schedulerName: 'careless' });
    expect(placed(cluster, 'careless')).toBe('n');
    cluster.advance(seconds(30));
    expect(nodeOf(cluster, 'careful')).toBeUndefined();
  });
});
