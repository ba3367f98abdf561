/** PUT of an object, or of a subresource that is a part of it. */
import type { Process } from '../../engine/process.ts';
import { badRequest } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { andThen, type Steps } from '../../api/steps.ts';
import { giveWay, stepByStep } from '../request/give-way.ts';
import { type Baseline, baselineOf } from './baseline.ts';
import { managedFieldsOfChange } from './managed-fields.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { DraftObject, UpdateRules } from '../registry/strategy.ts';
import { respondShown } from './respond-shown.ts';
import { checkNamespace } from './create-object.ts';
import { expectedTypeOf } from './body-type.ts';
import { decodeInSteps, setDefaults } from './decode-object.ts';
import { checkPathName } from './path-name.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { updateObject } from './update-object.ts';

export function* update(exchange: Exchange, rules?: UpdateRules): Process<void> {
  const { resource } = exchange.routed;
  const { name } = exchange.info;
  checkNamed(exchange);
  const options = writeOptionsOf(exchange, 'UpdateOptions');
  const expected = expectedTypeOf(exchange.routed);
  const decode = (baseline: Baseline | undefined): Steps<DraftObject> =>
    andThen(decodeInSteps(exchange, expected, options.fieldValidation, baseline), (draft) => {
      setDefaults(exchange, draft);
      return draft;
    });
  const store = exchange.server.storeOf(resource);
  const present = store.get(store.key(exchange.info.namespace, name))?.value;
  const first = baselineOf(exchange, present);
  const reading = decode(first);
  const sent = typeof reading === 'function' ? yield* stepByStep(exchange, reading) : reading;
  checkNamespace(exchange, resource, sent.metadata);
  checkName(sent.metadata.name ?? '', name);
  checkPathName(name);
  // Also of what is not there to be updated.
  dropDuplicateOwners(exchange, sent.metadata, false);
  const afterReading = giveWay(exchange);
  if (afterReading) yield* afterReading;
  let isFirst = true;
  const { object, isCreated } = yield* updateObject(exchange, {
    name,
    isDryRun: options.isDryRun,
    createsMissing: false,
    uidPrecondition: sent.metadata.uid,
    ...(rules && { rules }),
    produce: (live) => {
      // Hooks change drafts in place, so every further attempt starts from a new one.
      const baseline = isFirst && live === present ? first : baselineOf(exchange, live);
      const steps = isFirst ? sent : decode(baseline);
      isFirst = false;
      const manager = options.fieldManager;
      return andThen(steps, (draft) => {
        dropDuplicateOwners(exchange, draft.metadata, false);
        return managedFieldsOfChange(exchange, { live, draft, baseline, manager, rules });
      });
    },
  });
  yield* respondShown(exchange, isCreated ? 201 : 200, object);
}

/** Custom resources take an update or a patch of a whole collection for one of something without a name. */
export function checkNamed({ info }: Exchange): void {
  if (info.name === '') throw badRequest('name must be provided');
}

/** The name in the body has to be there and to be that of the path. */
export function checkName(sent: string, name: string): void {
  if (sent === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (sent !== name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}
