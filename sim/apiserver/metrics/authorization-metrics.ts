/** What is counted of authorizers, under Kubernetes' own names. Specification: not shown (Kubernetes 1.31). */
import type { MetricFamily } from '../../api/exposition.ts';
import { Histogram, Tally } from './instruments.ts';

const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CONDITION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const OF_WEBHOOK = ['name', 'result'] as const;
const OF_CONDITIONS = ['name', 'type'] as const;

type Result = 'success' | 'timeout' | 'error';

export class AuthorizationMetrics {
  readonly #decisions = new Tally('counter', {
    name: 'apiserver_authorization_decisions_total',
    help: '[ALPHA] Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.',
    labels: ['decision', 'name', 'type'],
  });
  readonly #errors = new Tally('counter', {
    name: 'apiserver_authorization_match_condition_evaluation_errors_total',
    help: '[ALPHA] Total number of errors when an authorization webhook encounters a match condition error split by authorizer type and name.',
    labels: OF_CONDITIONS,
  });
  readonly #conditions = new Histogram({
    name: 'apiserver_authorization_match_condition_evaluation_seconds',
    help: '[ALPHA] Authorization match condition evaluation time in seconds, split by authorizer type and name.',
    labels: OF_CONDITIONS,
    buckets: CONDITION_BUCKETS,
  });
  readonly #exclusions = new Tally('counter', {
    name: 'apiserver_authorization_match_condition_exclusions_total',
    help: '[ALPHA] Total number of exclusions when an authorization webhook is skipped because match conditions exclude it.',
    labels: OF_CONDITIONS,
  });
  readonly #durations = new Histogram({
    name: 'apiserver_authorization_webhook_duration_seconds',
    help: '[ALPHA] Request latency in seconds.',
    labels: OF_WEBHOOK,
    buckets: DEFAULT_BUCKETS,
  });
  readonly #failedOpen = new Tally('counter', {
    name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
    help: '[ALPHA] NoOpinion results due to webhook timeout or error.',
    labels: OF_WEBHOOK,
  });
  readonly #evaluations = new Tally('counter', {
    name: 'apiserver_authorization_webhook_evaluations_total',
    help: '[ALPHA] Round-trips to authorization webhooks.',
    labels: OF_WEBHOOK,
  });

  decided(labels: {
    readonly type: string;
    readonly name: string;
    readonly decision: 'allowed' | 'denied';
  }): void {
    this.#decisions.add(labels);
  }

  /** Conditions take no time that a simulation could measure. */
  matched({
    name,
    outcome,
  }: {
    readonly name: string;
    readonly outcome: 'matched' | 'excluded' | 'failed';
  }): void {
    const labels = { name, type: 'Webhook' };
    this.#conditions.observe(labels, 0);
    if (outcome === 'excluded') this.#exclusions.add(labels);
    if (outcome === 'failed') this.#errors.add(labels);
  }

  asked({
    seconds,
    ...labels
  }: {
    readonly name: string;
    readonly result: Result;
    readonly seconds: number;
  }): void {
    this.#evaluations.add(labels);
    this.#durations.observe(labels, seconds);
  }

  failedOpen(labels: { readonly name: string; readonly result: Result }): void {
    this.#failedOpen.add(labels);
  }

  families(): readonly MetricFamily[] {
    return [
      this.#decisions.family(),
      this.#errors.family(),
      this.#conditions.family(),
      this.#exclusions.family(),
      this.#durations.family(),
      this.#failedOpen.family(),
      this.#evaluations.family(),
    ];
  }
}
