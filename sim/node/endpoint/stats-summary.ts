/**
 * `/stats/summary`: what the node, its pods and their containers use, in the shape that monitoring reads
 * (`stats/v1alpha1.Summary`). Networks carry no counted bytes here, so there is no word of them.
 */
import { formatTime } from '../../api/time-format.ts';
import type { AgentView } from './agent-view.ts';
import type { Observation } from '../eviction/thresholds.ts';
import {
  type ContainerUsage,
  containerUsages,
  nodeUsage,
  sumOf,
  systemUsages,
  type Usage,
} from '../machine/usage.ts';

/** Of a disk: one file or directory for so many bytes. */
const BYTES_OF_INODE = 16_384;

export function summaryOf(view: AgentView): object {
  const time = formatTime(view.context.wallMs());
  const containers = containerUsages(view);
  const system = systemUsages(view);
  const seen = view.machine.observations(view.runtimeMs);
  const memory = seen['memory.available'];
  const processes = seen['pid.available'];
  const fs = diskOf(view, seen['nodefs.available'], time);
  const started = formatTime(view.startedMs);
  return {
    node: {
      nodeName: view.nodeName,
      systemContainers: system.map((usage) => ({
        name: usage.name,
        startTime: started,
        cpu: cpuOf(usage, time),
      })),
      startTime: started,
      cpu: cpuOf(nodeUsage(view, containers), time),
      memory: {
        availableBytes: memory.available,
        ...memoryOf(memory.capacity - memory.available, time),
      },
      fs: { ...fs, usedBytes: fs.capacityBytes - fs.availableBytes },
      runtime: { imageFs: { ...fs, usedBytes: view.runtime.images.sizeBytes } },
      rlimit: { time, maxpid: processes.capacity, curproc: processes.capacity - processes.available },
    },
    pods: view.workers().flatMap(({ pod: { metadata }, record }) => {
      const own = containers.filter(({ container }) => container.podUid === metadata.uid);
      if (own.length === 0) return [];
      const all = sumOf(own);
      return [
        {
          podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
          startTime: record.startTime,
          containers: own.map((usage) => containerOf(usage, time, fs)),
          cpu: cpuOf(all, time),
          memory: memoryOf(all.memoryBytes, time),
          'ephemeral-storage': { ...fs, usedBytes: all.diskBytes },
          process_stats: { process_count: all.processes },
        },
      ];
    }),
  };
}

function containerOf(usage: ContainerUsage, time: string, fs: DiskFacts): object {
  return {
    name: usage.container.name,
    startTime: formatTime(usage.startedMs),
    cpu: cpuOf(usage, time),
    memory: memoryOf(usage.memoryBytes, time),
    rootfs: { ...fs, usedBytes: usage.diskBytes },
    logs: { ...fs, usedBytes: 0 },
  };
}

const cpuOf = ({ nanoCores, coreNanoSeconds }: Usage, time: string): object => ({
  time,
  usageNanoCores: nanoCores,
  usageCoreNanoSeconds: coreNanoSeconds,
});

/** Nothing is ever written back to disk, so all that is used is worked with. */
const memoryOf = (bytes: number, time: string): object => ({
  time,
  usageBytes: bytes,
  workingSetBytes: bytes,
  rssBytes: bytes,
  pageFaults: 0,
  majorPageFaults: 0,
});

interface DiskFacts {
  readonly time: string;
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
}

function diskOf(view: AgentView, { available, capacity }: Observation, time: string): DiskFacts {
  const inodes = Math.floor(capacity / BYTES_OF_INODE);
  const inodesUsed = view.machine.disk.fileCount;
  return {
    time,
    availableBytes: available,
    capacityBytes: capacity,
    inodesFree: inodes - inodesUsed,
    inodes,
    inodesUsed,
  };
}
