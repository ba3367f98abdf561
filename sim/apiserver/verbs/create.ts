/** POST to a collection. */
import type { Process } from '../../engine/process.ts';
import { atOnce } from '../../api/steps.ts';
import type { Exchange } from '../request/exchange.ts';
import { giveWay, givesWay, stepByStep } from '../request/give-way.ts';
import { managedFieldsOfCreation } from './managed-fields.ts';
import { createOptionsOf } from '../options/create-options.ts';
import { respondShown } from './respond-shown.ts';
import { createObject, wipeSystemMetadata } from './create-object.ts';
import { expectedTypeOf } from './body-type.ts';
import { decodeInSteps, setDefaults } from './decode-object.ts';

export function* create(exchange: Exchange): Process<void> {
  const options = createOptionsOf(exchange);
  const reading = decodeInSteps(exchange, expectedTypeOf(exchange.routed), options.fieldValidation);
  const draft = typeof reading === 'function' ? yield* stepByStep(exchange, reading) : reading;
  const afterReading = giveWay(exchange);
  if (afterReading) yield* afterReading;
  setDefaults(exchange, draft);
  wipeSystemMetadata(draft.metadata);
  const noting = () => managedFieldsOfCreation(exchange, draft, options.fieldManager);
  if (givesWay(exchange)) yield* stepByStep(exchange, noting);
  else atOnce(noting);
  const stored = yield* createObject(exchange, { draft, isDryRun: options.isDryRun });
  yield* respondShown(exchange, 201, stored);
}
