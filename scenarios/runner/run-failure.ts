/** Ways for a run to end badly. */
import type { FailureKind } from '../../reports/run-record.ts';
import type { Path } from '../language/read-value.ts';
import type { Answer } from '../world/world.ts';

/** What should have held did not. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly kind: FailureKind;
  readonly property: string;
  readonly details: readonly string[];
  readonly path: Path;
  readonly answer: Answer | undefined;

  constructor({
    kind,
    property,
    details,
    path,
    answer,
  }: {
    kind: FailureKind;
    property: string;
    details: readonly string[];
    path: Path;
    answer?: Answer | undefined;
  }) {
    super(`${property}: ${details.join('; ')}`);
    this.kind = kind;
    this.property = property;
    this.details = details;
    this.path = path;
    this.answer = answer;
  }
}
