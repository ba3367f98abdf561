/** Event in core (stored) and in events.k8s.io: the same facts under other names. */
import { canonical } from '../../../../api/codec/canonical.ts';
import type { ApiObject } from '../../../../api/object.ts';
import type { StructSchema } from '../../../../api/schema.ts';
import type { Conversion, VersionPair } from '../../../conversion/conversion.ts';

const CORE = 'v1';
const EVENTS = 'events.k8s.io/v1';

/** Core's member, and its name in events.k8s.io. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const TO_EVENTS = new Map(NAMES);
const TO_CORE = new Map(NAMES.map(([core, events]) => [events, core]));

/** The beta version has the shape of the stable one. */
const EVENTS_BETA = 'events.k8s.io/v1beta1';

const pairOf = (apiVersion: string): VersionPair => ({
  toStorage: (object, types) => renamed(object, TO_CORE, CORE, types.structOf('v1.Event')),
  fromStorage: (object, types) =>
    renamed(object, TO_EVENTS, apiVersion, types.structOf(`${apiVersion}.Event`)),
});

export const EVENT_CONVERSION: Conversion = {
  storage: CORE,
  versions: { [EVENTS]: pairOf(EVENTS), [EVENTS_BETA]: pairOf(EVENTS_BETA) },
};

function renamed(
  object: ApiObject,
  names: ReadonlyMap<string, string>,
  apiVersion: string,
  schema: StructSchema,
): ApiObject {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) members[names.get(name) ?? name] = value;
  return canonical(schema, { ...members, apiVersion }) as ApiObject;
}
