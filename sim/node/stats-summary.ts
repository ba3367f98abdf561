/**
 * `/stats/summary`: what the node, its pods and their containers use, in the shape that monitoring reads
 * (`stats/v1alpha1.Summary`). Networks carry no counted bytes here, so there is no word of them.
 */
import { formatTime } from '../api/time-format.ts';
import type { AgentView } from './agent-view.ts';
import {
  capacityOf,
  type ContainerUsage,
  containerUsages,
  sumOf,
  systemUsages,
  type Usage,
} from './usage.ts';

/** Of a disk: one file or directory for so many bytes. */
const BYTES_OF_INODE = 16_384;
const MAX_PID = 4_194_304;
/** The machine's own processes, and one for each container. */
const SYSTEM_PROCESSES = 100;
/** Images and the files of containers take no room on the simulated disk. */
const NOTHING_USED = { usedBytes: 0, inodesUsed: 0 };

export function summaryOf(view: AgentView): object {
  const time = formatTime(view.context.wallMs());
  const containers = containerUsages(view);
  const system = systemUsages(view);
  const whole = sumOf([...containers, ...system]);
  const fs = diskOf(view, time);
  const started = formatTime(view.startedMs);
  return {
    node: {
      nodeName: view.nodeName,
      systemContainers: system.map((usage) => ({
        name: usage.name,
        startTime: started,
        cpu: cpuOf(usage, time),
        memory: memoryOf(usage.memoryBytes, time),
      })),
      startTime: started,
      cpu: cpuOf(whole, time),
      memory: {
        availableBytes: Math.max(0, capacityOf(view, 'memory') - whole.memoryBytes),
        ...memoryOf(whole.memoryBytes, time),
      },
      fs: { ...fs, usedBytes: fs.capacityBytes - fs.availableBytes },
      runtime: { imageFs: { ...fs, ...NOTHING_USED } },
      rlimit: { time, maxpid: MAX_PID, curproc: SYSTEM_PROCESSES + containers.length },
    },
    pods: view.workers().flatMap(({ pod: { metadata }, record }) => {
      const own = containers.filter(({ container }) => container.podUid === metadata.uid);
      if (own.length === 0) return [];
      return [
        {
          podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
          startTime: record.startTime,
          containers: own.map((usage) => containerOf(usage, time, fs)),
          cpu: cpuOf(sumOf(own), time),
          memory: memoryOf(sumOf(own).memoryBytes, time),
          'ephemeral-storage': { ...fs, ...NOTHING_USED },
          process_stats: { process_count: own.length },
        },
      ];
    }),
  };
}

type Disk = ReturnType<typeof diskOf>;

function containerOf(usage: ContainerUsage, time: string, fs: Disk): object {
  return {
    name: usage.container.name,
    startTime: formatTime(usage.startedMs),
    cpu: cpuOf(usage, time),
    memory: memoryOf(usage.memoryBytes, time),
    rootfs: { ...fs, ...NOTHING_USED },
    logs: { ...fs, ...NOTHING_USED },
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

function diskOf(
  { machine: { disk } }: AgentView,
  time: string,
): {
  readonly time: string;
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
} {
  const { availableBytes, capacityBytes } = disk;
  const inodes = Math.floor(capacityBytes / BYTES_OF_INODE);
  const inodesUsed = disk.fileCount;
  return { time, availableBytes, capacityBytes, inodesFree: inodes - inodesUsed, inodes, inodesUsed };
}
