/** What an evicted pod says of its end, as Kubernetes words it. Pure. */
import { bytesOf } from '../pods/container-limits.ts';
import { initContainersOf, mainContainersOf } from '../pods/pod-containers.ts';
import { type PodUsage, requestText, usageOf } from './pod-usage.ts';
import {
  amountText,
  bytesText,
  type Observation,
  pressureOf,
  resourceOf,
  type Signal,
  thresholdText,
} from './thresholds.ts';

export function evictionMessage(
  { pod, containers }: PodUsage,
  signal: Signal,
  threshold: string,
  { available, capacity }: Observation,
): string {
  const resource = resourceOf(signal);
  const pressure = pressureOf(signal);
  const sentences = [
    `The node was low on resource: ${resource}. `,
    `Threshold quantity: ${thresholdText(threshold, capacity, signal)}, available: ${amountText(available, signal)}. `,
  ];
  for (const container of pressure === 'pid' ? [] : containers) {
    const spec = [...initContainersOf(pod), ...mainContainersOf(pod)].find(
      ({ name }) => name === container.name,
    );
    const usage = usageOf(container, pressure);
    const request = spec ? requestText(spec, pressure) : '0';
    if (spec && usage > (bytesOf(request) ?? 0)) {
      sentences.push(
        `Container ${spec.name} was using ${bytesText(usage)}, request is ${request}, has larger consumption of ${resource}. `,
      );
    }
  }
  return sentences.join('');
}

/** Of the first container that uses more of the disk than it may. Undefined: none does. */
export function storageLimitMessage({ pod, containers }: PodUsage): string | undefined {
  for (const spec of mainContainersOf(pod)) {
    const limit = spec.resources?.limits?.['ephemeral-storage'];
    const used = containers.find(({ name }) => name === spec.name)?.diskBytes ?? 0;
    if (limit !== undefined && used > (bytesOf(limit) ?? Infinity))
      return `Container ${spec.name} exceeded its local ephemeral storage limit ${JSON.stringify(limit)}. `;
  }
  return undefined;
}
