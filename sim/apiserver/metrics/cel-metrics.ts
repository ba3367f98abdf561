/**
 * How often rules of definitions are compiled and run, and how often an update is compared with what was there, under
 * Kubernetes' own names. Each part of an object that has rules, or has parts with rules, is counted when it is judged,
 * and each part of a schema when it is compiled. They take no virtual time. Specification: not shown (Kubernetes 1.31).
 */
import type { MetricFamily } from '../../api/exposition.ts';
import { Histogram } from './instruments.ts';

const USUAL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LEAST_RATCHETING_SECONDS = 0.000_01;
const RATCHETING_BUCKETS = Array.from({ length: 10 }, (_, index) => LEAST_RATCHETING_SECONDS * 4 ** index);

export class CelMetrics {
  readonly #compilations = new Histogram({
    name: 'apiserver_cel_compilation_duration_seconds',
    help: '[BETA] CEL compilation time in seconds.',
    labels: [],
    buckets: USUAL_BUCKETS,
  });
  readonly #evaluations = new Histogram({
    name: 'apiserver_cel_evaluation_duration_seconds',
    help: '[BETA] CEL evaluation time in seconds.',
    labels: [],
    buckets: USUAL_BUCKETS,
  });
  readonly #comparisons = new Histogram({
    name: 'apiextensions_apiserver_validation_ratcheting_seconds',
    help: '[ALPHA] Time for comparison of old to new for the purposes of CRDValidationRatcheting during an UPDATE in seconds.',
    labels: [],
    buckets: RATCHETING_BUCKETS,
  });

  /** `parts`: of a schema, that have rules of their own. */
  compiled(parts: number): void {
    for (let part = 0; part < parts; part += 1) this.#compilations.observe({}, 0);
  }

  /** A part of an object. */
  evaluated(): void {
    this.#evaluations.observe({}, 0);
  }

  /** An update with what was there before. */
  compared(): void {
    this.#comparisons.observe({}, 0);
  }

  families(): readonly MetricFamily[] {
    return [this.#compilations.family(), this.#evaluations.family(), this.#comparisons.family()];
  }
}
