/** What one metric proposes that is none of a resource: of the pods, of an object, or of something outside. */
import { formatQuantity } from '../../api/quantity.ts';
import type {
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  ObjectMetricSource,
  PodsMetricSource,
} from '../../api/types/autoscaling-v2.ts';
import type { Process } from '../../engine/process.ts';
import { selectorText } from '../../api/selector/selector-text.ts';
import type { CustomMetricsReader } from './custom-metrics-reader.ts';
import type { MetricsQuestion, Proposal } from './metrics-question.ts';
import {
  MetricFailure,
  milliOf,
  replicasForShares,
  replicasForUsage,
  replicasForValue,
} from './replica-count.ts';

/** @throws MetricFailure */
export function* customProposalOf(
  { type, external, object, pods }: MetricSpec,
  question: MetricsQuestion,
  reader: CustomMetricsReader,
): Process<Proposal> {
  if (external) return yield* ofOutside(external, question, reader);
  if (object) return yield* ofObject(object, question, reader);
  if (pods) return yield* ofPods(pods, question, reader);
  throw new MetricFailure(`unknown metric source type "${type}"`);
}

function* ofPods(
  { metric, target }: PodsMetricSource,
  question: MetricsQuestion,
  reader: CustomMetricsReader,
): Process<Proposal> {
  const { namespace, selector, pods, currentReplicas, nowMs } = question;
  const asked = reader.ofPods({ namespace, selector, metric });
  const usages = yield* withPrefix(`unable to get metric ${metric.name}: `, asked);
  const counted = { currentReplicas, resource: '', container: '', pods, usages, nowMs: nowMs() };
  const { replicas, usage } = replicasForUsage(counted, milliOf(target.averageValue ?? '0'));
  const current = { averageValue: milliText(usage) };
  return {
    replicas,
    metric: `pods metric ${metric.name}`,
    status: { type: 'Pods', pods: { metric, current } },
  };
}

function* ofObject(
  { metric, target, describedObject }: ObjectMetricSource,
  question: MetricsQuestion,
  reader: CustomMetricsReader,
): Process<Proposal> {
  const { namespace, pods, currentReplicas, presentReplicas } = question;
  const isValue = target.type === 'Value' && target.value !== undefined;
  const isShared = target.type === 'AverageValue' && target.averageValue !== undefined;
  if (!isValue && !isShared)
    throw new MetricFailure(
      'invalid object metric source: neither a value target nor an average value target was set',
    );
  const { kind, name } = describedObject;
  // The words of the server, in its order.
  const prefix = `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/`;
  const value = yield* withPrefix(prefix, reader.ofObject(namespace, describedObject, metric));
  if (isValue) {
    const replicas = replicasForValue(currentReplicas, pods, { value, target: milliOf(target.value ?? '0') });
    const object = { describedObject, metric, current: { value: milliText(value) } };
    return { replicas, metric: `${kind} metric ${metric.name}`, status: { type: 'Object', object } };
  }
  const shares = { value, target: milliOf(target.averageValue ?? '0') };
  const { replicas, usage } = replicasForShares(presentReplicas, shares);
  const current = { averageValue: milliText(usage) };
  const object = { describedObject: { kind: '', name: '' }, metric, current };
  return { replicas, metric: externalText(metric), status: { type: 'Object', object } };
}

function* ofOutside(
  { metric, target }: ExternalMetricSource,
  question: MetricsQuestion,
  reader: CustomMetricsReader,
): Process<Proposal> {
  const { namespace, pods, currentReplicas, presentReplicas } = question;
  if (target.averageValue === undefined && target.value === undefined)
    throw new MetricFailure(
      'invalid external metric source: neither a value target nor an average value target was set',
    );
  const prefix = `unable to get external metric ${namespace}/${metric.name}/${goText(metric)}: `;
  const value = yield* withPrefix(prefix, reader.external(namespace, metric));
  const text = externalText(metric);
  if (target.averageValue !== undefined) {
    const { replicas, usage } = replicasForShares(presentReplicas, {
      value,
      target: milliOf(target.averageValue),
    });
    const external = { metric, current: { averageValue: milliText(usage) } };
    return { replicas, metric: text, status: { type: 'External', external } };
  }
  const replicas = replicasForValue(currentReplicas, pods, { value, target: milliOf(target.value ?? '0') });
  const external = { metric, current: { value: milliText(value) } };
  return { replicas, metric: text, status: { type: 'External', external } };
}

const goText = ({ selector }: MetricIdentifier): string => (selector ? selectorText(selector) : 'nil');

const externalText = (metric: MetricIdentifier): string =>
  `external metric ${metric.name}(${goText(metric)})`;

/** What an infinite number becomes where a whole one is wanted. */
const LEAST = -(2n ** 63n);

/** Thousandths as a quantity. */
export const milliText = (thousandths: number): string =>
  formatQuantity({
    unscaled: Number.isFinite(thousandths) ? BigInt(thousandths) : LEAST,
    scale: -3,
    format: 'DecimalSI',
  });

function* withPrefix<T>(prefix: string, asked: Process<T>): Process<T> {
  try {
    return yield* asked;
  } catch (error) {
    if (!(error instanceof MetricFailure)) throw error;
    throw new MetricFailure(`${prefix}${error.message}`);
  }
}
