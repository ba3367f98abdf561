/** All plugins that there are, in the order of the usual profile, with their weights and where each has something to say. */
import { interPodAffinity } from '../plugins/inter-pod-affinity.ts';
import {
  nodeAffinity,
  nodeName,
  nodeUnschedulable,
  schedulingGates,
  taintToleration,
} from '../plugins/node-plugins.ts';
import { podTopologySpread } from '../plugins/pod-topology-spread.ts';
import {
  imageLocality,
  nodePorts,
  nodeResourcesBalancedAllocation,
  nodeResourcesFit,
} from '../plugins/resource-plugins.ts';
import { nodeVolumeLimits, volumeRestrictions, volumeZone } from '../plugins/volume-plugins.ts';
import type { Plugin } from '../framework/plugin.ts';
import type { ExtensionPoint } from './scheduler-configuration.ts';

export interface KnownPlugin {
  readonly plugin: Plugin;
  readonly points: readonly ExtensionPoint[];
  readonly weight?: number;
}

/** `volumeBinding`: it keeps in mind what it has decided, so each scheduler has its own. */
export function knownPlugins(volumeBinding: Plugin): readonly KnownPlugin[] {
  return [
    { plugin: schedulingGates, points: ['preEnqueue'] },
    { plugin: { name: 'PrioritySort' }, points: ['queueSort'] },
    { plugin: nodeUnschedulable, points: ['filter'] },
    { plugin: nodeName, points: ['filter'] },
    { plugin: taintToleration, points: ['filter', 'preScore', 'score'], weight: 3 },
    { plugin: nodeAffinity, points: ['preFilter', 'filter', 'preScore', 'score'], weight: 2 },
    { plugin: nodePorts, points: ['preFilter', 'filter'] },
    { plugin: nodeResourcesFit, points: ['preFilter', 'filter', 'preScore', 'score'], weight: 1 },
    { plugin: volumeRestrictions, points: ['preFilter', 'filter'] },
    { plugin: nodeVolumeLimits, points: ['preFilter', 'filter'] },
    { plugin: volumeBinding, points: ['preFilter', 'filter', 'reserve', 'preBind', 'preScore', 'score'] },
    { plugin: volumeZone, points: ['preFilter', 'filter'] },
    { plugin: podTopologySpread, points: ['preFilter', 'filter', 'preScore', 'score'], weight: 2 },
    { plugin: interPodAffinity, points: ['preFilter', 'filter', 'preScore', 'score'], weight: 2 },
    { plugin: { name: 'DefaultPreemption' }, points: ['postFilter'] },
    { plugin: nodeResourcesBalancedAllocation, points: ['preScore', 'score'], weight: 1 },
    { plugin: imageLocality, points: ['score'], weight: 1 },
    { plugin: { name: 'DefaultBinder' }, points: ['bind'] },
  ];
}
