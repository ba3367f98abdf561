/**
 * What is counted of admission, under Kubernetes' own names: its two steps, the plugins, calls of webhooks, and what
 * policies decide. Specification: not shown (Kubernetes 1.31).
 */
import type { MetricFamily } from '../../api/exposition.ts';
import { type AdmissionOperation, type AdmissionStep, pluginsAsked } from '../admission/admission-steps.ts';
import { Histogram, Summary, Tally } from './instruments.ts';

const STEP_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const OF_STEP = ['operation', 'rejected', 'type'] as const;
const OF_PLUGIN = ['name', ...OF_STEP] as const;
const OF_CONDITION = ['kind', 'name', 'operation', 'type'] as const;
const OF_CHECK = ['enforcement_action', 'error_type', 'policy', 'policy_binding'] as const;
const GREATEST_CODE = 600;

const STEP_HELP = 'broken out for each operation and API resource and step type (validate or admit).';
const CONDITION_HELP =
  'identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).';

export interface StepTaken {
  readonly operation: AdmissionOperation;
  readonly step: AdmissionStep;
  readonly seconds: number;
  readonly isRejected: boolean;
  /** The plugin that refused. */
  readonly rejectedBy: string | undefined;
  /** Plugins that had to wait for something. */
  readonly waits: readonly { readonly name: string; readonly seconds: number }[];
}

export interface WebhookCalled {
  readonly name: string;
  readonly kind: 'mutating' | 'validating';
  readonly operation: AdmissionOperation;
  readonly seconds: number;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'failed open' | 'broken';
  /** Of the verdict, or of what went wrong in the call. */
  readonly code: number;
}

export interface ConditionsEvaluated {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly operation: AdmissionOperation;
  readonly step: 'admit' | 'validating' | 'validate';
  readonly outcome: 'excluded' | 'failed' | 'failed open';
}

export interface PolicyChecked {
  readonly policy: string;
  readonly binding: string;
  readonly action: 'allow' | 'deny' | 'warn' | 'audit';
  readonly message: string;
}

const ERROR_TYPES = {
  denied: 'no_error',
  failed: 'calling_webhook_error',
  broken: 'apiserver_internal_error',
} as const;

export class AdmissionMetrics {
  readonly #steps = new Histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: `[STABLE] Admission sub-step latency histogram in seconds, ${STEP_HELP}`,
    labels: OF_STEP,
    buckets: STEP_BUCKETS,
  });
  readonly #stepSummary = new Summary({
    name: 'apiserver_admission_step_admission_duration_seconds_summary',
    help: `[ALPHA] Admission sub-step latency summary in seconds, ${STEP_HELP}`,
    labels: OF_STEP,
    quantiles: [0.5, 0.9, 0.99],
  });
  readonly #plugins = new Histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: '[STABLE] Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: OF_PLUGIN,
    buckets: STEP_BUCKETS,
  });
  readonly #webhooks = new Histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: '[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: OF_PLUGIN,
    buckets: [...STEP_BUCKETS, 10, 25],
  });
  readonly #webhookRequests = new Tally('counter', {
    name: 'apiserver_admission_webhook_request_total',
    help: '[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['code', ...OF_PLUGIN],
  });
  readonly #rejections = new Tally('counter', {
    name: 'apiserver_admission_webhook_rejection_count',
    help: '[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
  });
  readonly #failedOpen = new Tally('counter', {
    name: 'apiserver_admission_webhook_fail_open_count',
    help: '[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or mutating).',
    labels: ['name', 'type'],
  });
  readonly #conditions = new Histogram({
    name: 'apiserver_admission_match_condition_evaluation_seconds',
    help: '[ALPHA] Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit).',
    labels: OF_CONDITION,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  });
  readonly #conditionErrors = new Tally('counter', {
    name: 'apiserver_admission_match_condition_evaluation_errors_total',
    help: `[ALPHA] Admission match condition evaluation errors count, ${CONDITION_HELP}`,
    labels: OF_CONDITION,
  });
  readonly #exclusions = new Tally('counter', {
    name: 'apiserver_admission_match_condition_exclusions_total',
    help: `[ALPHA] Admission match condition evaluation exclusions count, ${CONDITION_HELP}`,
    labels: OF_CONDITION,
  });
  readonly #checks = new Tally('counter', {
    name: 'apiserver_validating_admission_policy_check_total',
    help: '[BETA] Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    labels: OF_CHECK,
  });
  readonly #checkDurations = new Histogram({
    name: 'apiserver_validating_admission_policy_check_duration_seconds',
    help: '[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
    labels: OF_CHECK,
    buckets: [5e-7, 0.001, 0.01, 0.1, 1],
  });

  /** Plugins after the one that refused were not asked. */
  stepTaken({ operation, step, seconds, isRejected, rejectedBy, waits }: StepTaken): void {
    const labels = { operation, rejected: String(isRejected), type: step };
    this.#steps.observe(labels, seconds);
    this.#stepSummary.observe(labels, seconds);
    for (const name of pluginsAsked(operation, step)) {
      const waited = waits.find((wait) => wait.name === name)?.seconds ?? 0;
      this.#plugins.observe({ ...labels, name, rejected: String(name === rejectedBy) }, waited);
      if (name === rejectedBy) return;
    }
  }

  webhookCalled({ name, kind, operation, seconds, outcome, code }: WebhookCalled): void {
    const type = kind === 'mutating' ? 'admit' : 'validating';
    const isRejected = outcome !== 'allowed' && outcome !== 'failed open';
    const labels = { name, operation, rejected: String(isRejected), type };
    const shown = String(Math.min(code, GREATEST_CODE));
    this.#webhooks.observe(labels, seconds);
    this.#webhookRequests.add({ ...labels, code: shown });
    if (outcome === 'failed open') this.#failedOpen.add({ name, type });
    else if (outcome !== 'allowed')
      this.#rejections.add({
        error_type: ERROR_TYPES[outcome],
        name,
        operation,
        rejection_code: shown,
        type,
      });
  }

  /** Those that hold are not counted. */
  conditionsEvaluated({ kind, name, operation, step, outcome }: ConditionsEvaluated): void {
    const labels = { kind, name, operation, type: step };
    this.#conditions.observe(labels, 0);
    if (outcome !== 'excluded') this.#conditionErrors.add(labels);
    if (outcome !== 'failed' && kind === 'webhook')
      this.#exclusions.add({ ...labels, type: step === 'admit' ? 'admit' : 'validate' });
  }

  /** Checks that are passed are not counted. */
  policyChecked({ policy, binding, action, message }: PolicyChecked): void {
    const labels = {
      enforcement_action: action,
      error_type: message.startsWith('compilation') ? 'compile_error' : 'invalid_error',
      policy,
      policy_binding: binding,
    };
    this.#checks.add(labels);
    this.#checkDurations.observe(labels, 0);
  }

  families(): readonly MetricFamily[] {
    return [
      this.#steps,
      this.#stepSummary,
      this.#plugins,
      this.#webhooks,
      this.#webhookRequests,
      this.#rejections,
      this.#failedOpen,
      this.#conditions,
      this.#conditionErrors,
      this.#exclusions,
      this.#checks,
      this.#checkDurations,
    ].map((instrument) => instrument.family());
  }
}
