/**
 * Conversions that whoever tells the owners of fields needs in the middle of its work, where somebody else converts. The
 * work cannot wait, so it is left at the first that is not known yet, and done again with each answer: it asks for the
 * same ones in the same order.
 */
import type { ApiObject } from '../../api/object.ts';
import { ApiError } from '../../api/status.ts';
import type { Process } from '../../engine/process.ts';
import { invariant } from '../../engine/invariant.ts';

/** Left until somebody was asked. */
class ConversionNeeded extends Error {
  readonly object: ApiObject;
  readonly apiVersion: string;

  constructor(object: ApiObject, apiVersion: string) {
    super(`a conversion to ${apiVersion} is needed`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

type AskForFields = (object: ApiObject, apiVersion: string) => Process<ApiObject | undefined>;

export class FieldConversions {
  readonly #answers: (ApiObject | ApiError)[] = [];
  #next = 0;

  /** What the work comes to. It may be done several times. @throws whatever it throws */
  *during<T>(ask: AskForFields, work: () => T): Process<T> {
    for (;;) {
      this.#next = 0;
      try {
        return work();
      } catch (error) {
        if (!(error instanceof ConversionNeeded)) throw error;
        this.#answers.push(yield* answerOf(ask, error));
      }
    }
  }

  /** @throws ApiError if it failed */
  convert(object: ApiObject, apiVersion: string): ApiObject {
    const answer = this.#answers[this.#next++];
    if (!answer) throw new ConversionNeeded(object, apiVersion);
    if (answer instanceof ApiError) throw answer;
    return answer;
  }
}

function* answerOf(
  ask: AskForFields,
  { object, apiVersion }: ConversionNeeded,
): Process<ApiObject | ApiError> {
  try {
    const answer = yield* ask(object, apiVersion);
    invariant(answer !== undefined, 'a converter answers with as many objects as it was asked for');
    return answer;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
