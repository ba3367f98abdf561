/** Admission on the clock: how long its steps take, who had to wait, and who refused. */
import type { Process } from '../../engine/process.ts';
import type { AdmissionMetrics } from '../metrics/admission-metrics.ts';
import type { AdmissionAttributes, Step, StepMeter } from './admission.ts';
import type { AdmissionStep } from './admission-steps.ts';

const MS_PER_SECOND = 1000;

interface Wait {
  readonly name: string;
  readonly seconds: number;
}

export class MeteredSteps implements StepMeter {
  readonly #metrics: AdmissionMetrics;
  /** Who refused, by what was thrown. */
  readonly #refusals = new WeakMap<object, string>();
  /** Of steps that are under way. */
  readonly #waits = new WeakMap<AdmissionAttributes, Wait[]>();

  constructor(metrics: AdmissionMetrics) {
    this.#metrics = metrics;
  }

  stepOf(name: string, step: Step): Step {
    return (attributes) => {
      try {
        const waiting = step(attributes);
        return waiting && this.#waited(name, attributes, waiting);
      } catch (error) {
        throw this.#refused(name, error);
      }
    };
  }

  take(
    attributes: AdmissionAttributes,
    step: AdmissionStep,
    begin: () => Process<void> | undefined,
  ): Process<void> | undefined {
    const beganMs = attributes.context.surroundings.wallMs();
    try {
      const waiting = begin();
      if (waiting) return this.#awaited(attributes, step, beganMs, waiting);
    } catch (error) {
      this.#note(attributes, step, beganMs, { error });
      throw error;
    }
    this.#note(attributes, step, beganMs);
    return undefined;
  }

  *#awaited(
    attributes: AdmissionAttributes,
    step: AdmissionStep,
    beganMs: number,
    waiting: Process<void>,
  ): Process<void> {
    try {
      yield* waiting;
    } catch (error) {
      this.#note(attributes, step, beganMs, { error });
      throw error;
    }
    this.#note(attributes, step, beganMs);
  }

  *#waited(name: string, attributes: AdmissionAttributes, waiting: Process<void>): Process<void> {
    const { surroundings } = attributes.context;
    const beganMs = surroundings.wallMs();
    try {
      yield* waiting;
    } catch (error) {
      throw this.#refused(name, error);
    } finally {
      const waits = this.#waits.get(attributes) ?? [];
      this.#waits.set(attributes, [
        ...waits,
        { name, seconds: (surroundings.wallMs() - beganMs) / MS_PER_SECOND },
      ]);
    }
  }

  #refused(name: string, error: unknown): unknown {
    if (typeof error === 'object' && error !== null) this.#refusals.set(error, name);
    return error;
  }

  #note(
    attributes: AdmissionAttributes,
    step: AdmissionStep,
    beganMs: number,
    refusal?: { readonly error: unknown },
  ): void {
    const { operation, context } = attributes;
    const error = refusal?.error;
    const rejectedBy = typeof error === 'object' && error !== null ? this.#refusals.get(error) : undefined;
    this.#metrics.stepTaken({
      operation,
      step,
      seconds: (context.surroundings.wallMs() - beganMs) / MS_PER_SECOND,
      isRejected: refusal !== undefined,
      rejectedBy,
      waits: this.#waits.get(attributes) ?? [],
    });
    this.#waits.delete(attributes);
  }
}
