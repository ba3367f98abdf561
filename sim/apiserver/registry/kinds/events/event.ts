/**
 * Event: one object under two groups. It is stored in core's shape; `events.k8s.io` demands more of a
 * new event and lets only its series change. Events expire an hour after their last write.
 */
import { append } from '../../../../api/append.ts';
import { GoSyntax, goStruct } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Event, ObjectReference } from '../../../../api/types/core-v1.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { type BadValue, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { GO_ZERO_TIME, goTimeText, validateObjectMeta } from '../../../../api/validation/object-meta.ts';
import {
  dns1123Subdomain,
  nameIsDnsSubdomain,
  pathSegmentName,
  qualifiedName,
} from '../../../../api/validation/names.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import { EVENT_CONVERSION } from './event-conversion.ts';
import type { Strategy } from '../../strategy.ts';

const HOUR_SECONDS = 3_600;
const MAX_WORD = 128;
const MAX_MESSAGE = 1_024;

const shared: Pick<
  Strategy<Event>,
  | 'hasNoDependents'
  | 'sharesUnchanged'
  | 'allowsCreateOnUpdate'
  | 'timeToLiveSeconds'
  | 'selectableFields'
  | 'tableRow'
> = {
  hasNoDependents: true,
  sharesUnchanged: 'parts',
  allowsCreateOnUpdate: true,
  timeToLiveSeconds: HOUR_SECONDS,
  selectableFields,
  tableRow: eventRow,
};

export const coreEventKind = defineKind<Event>({
  resource: 'events',
  conversion: EVENT_CONVERSION,
  strategy: {
    ...shared,
    nameCheck: pathSegmentName,
    metadataChecks: [],
    ignoresMetadataOfNew: true,
    hasFreeFinalizers: true,
    validate: (object) => commonErrors(object, 'reportingComponent'),
    validateUpdate: (object) => commonErrors(object, 'reportingComponent'),
  },
});

export const eventsGroupKind = defineKind<Event>({
  group: 'events.k8s.io',
  resource: 'events',
  // Its objects are core's, whichever group they came through.
  goPackage: 'core',
  conversion: EVENT_CONVERSION,
  strategy: {
    ...shared,
    nameCheck: nameIsDnsSubdomain,
    ignoresMetadataOfNew: true,
    validate: newEventErrors,
    validateUpdate: (object, old) => [
      ...commonErrors(object, 'reportingController'),
      ...(isEqualJson(object.series, old.series) ? [] : seriesErrors(object)),
      ...immutabilityErrors(object, old),
    ],
  },
});

const isUnset = (time: string | null | undefined): boolean =>
  time === undefined || time === null || time === '';

function commonErrors(event: Event, controllerMember: string): FieldError[] {
  const errors: FieldError[] = [];
  const { metadata, involvedObject } = event;
  const namespace = metadata.namespace ?? '';
  const involved = involvedObject?.namespace ?? '';
  const mismatch = (): FieldError =>
    invalid(FieldPath.of('involvedObject', 'namespace'), involved, 'does not match event.namespace');
  if (isUnset(event.eventTime)) {
    const isMatch = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved;
    if (!isMatch) errors.push(mismatch());
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch());
    append(errors, reporterErrors(event, controllerMember));
  }
  return [...errors, ...checkedBy(dns1123Subdomain, namespace, FieldPath.of('namespace'))];
}

function reporterErrors(event: Event, controllerMember: string): FieldError[] {
  const controller = event.reportingComponent ?? '';
  const path = FieldPath.of(controllerMember);
  const errors: FieldError[] = controller === '' ? [required(path)] : [];
  append(errors, checkedBy(qualifiedName, controller, path));
  for (const member of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[member] ?? '';
    if (value === '') errors.push(required(FieldPath.of(member)));
    if (value.length > MAX_WORD)
      errors.push(invalid(FieldPath.of(member), '', `can have at most ${MAX_WORD} characters`));
  }
  if ((event.message ?? '').length > MAX_MESSAGE) {
    errors.push(invalid(FieldPath.of('message'), '', `can have at most ${MAX_MESSAGE} characters`));
  }
  return errors;
}

function newEventErrors(event: Event): FieldError[] {
  const rules = { isNamespaced: true, nameCheck: nameIsDnsSubdomain, checksFinalizerNames: true };
  const errors = [
    ...commonErrors(event, 'reportingController'),
    ...validateObjectMeta(event.metadata, rules, FieldPath.of('metadata')),
    ...seriesErrors(event),
  ];
  const needsUnset = (member: string): FieldError => invalid(FieldPath.of(member), '', 'needs to be unset');
  if (isUnset(event.eventTime)) errors.push(required(FieldPath.of('eventTime')));
  const { type = '' } = event;
  if (type !== 'Normal' && type !== 'Warning')
    errors.push(invalid(FieldPath.of('type'), '', `has invalid value: ${type}`));
  if (!isUnset(event.firstTimestamp)) errors.push(needsUnset('firstTimestamp'));
  if (!isUnset(event.lastTimestamp)) errors.push(needsUnset('lastTimestamp'));
  if (event.count) errors.push(needsUnset('count'));
  if (event.source?.component || event.source?.host) errors.push(needsUnset('source'));
  return errors;
}

const MIN_SERIES = 2;

function seriesErrors({ series }: Event): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < MIN_SERIES)
    errors.push(invalid(FieldPath.of('series', 'count'), '', `should be at least ${MIN_SERIES}`));
  if (isUnset(series.lastObservedTime)) errors.push(required(FieldPath.of('series', 'lastObservedTime')));
  return errors;
}

/** In the server's order, in which the reason is looked at twice. */
function immutabilityErrors(event: Event, old: Event): FieldError[] {
  const { source = {} } = event;
  const fields: readonly (readonly [member: keyof Event, field: string, shown: BadValue])[] = [
    ['involvedObject', 'involvedObject', referenceText(event.involvedObject)],
    ['reason', 'reason', event.reason ?? ''],
    ['message', 'message', event.message ?? ''],
    [
      'source',
      'source',
      goStruct('core.EventSource', [
        ['Component', source.component ?? ''],
        ['Host', source.host ?? ''],
      ]),
    ],
    ['firstTimestamp', 'firstTimestamp', goTime(event.firstTimestamp)],
    ['lastTimestamp', 'lastTimestamp', goTime(event.lastTimestamp)],
    ['count', 'count', event.count ?? 0],
    ['reason', 'reason', event.reason ?? ''],
    ['type', 'type', event.type ?? ''],
    ['eventTime', 'eventTime', goTime(event.eventTime)],
    ['action', 'action', event.action ?? ''],
    ['related', 'related', event.related ? referenceText(event.related) : null],
    ['reportingComponent', 'reportingController', event.reportingComponent ?? ''],
    ['reportingInstance', 'reportingInstance', event.reportingInstance ?? ''],
  ];
  return fields.flatMap(([member, field, shown]) =>
    immutable(isEqualJson(event[member] ?? null, old[member] ?? null), shown, FieldPath.of(field)),
  );
}

const goTime = (time: string | null | undefined): GoSyntax =>
  isUnset(time)
    ? new GoSyntax(GO_ZERO_TIME, 'null')
    : new GoSyntax(goTimeText(time ?? ''), JSON.stringify(time));

const referenceText = (reference: ObjectReference): GoSyntax =>
  goStruct('core.ObjectReference', [
    ['Kind', reference.kind ?? ''],
    ['Namespace', reference.namespace ?? ''],
    ['Name', reference.name ?? ''],
    ['UID', reference.uid ?? ''],
    ['APIVersion', reference.apiVersion ?? ''],
    ['ResourceVersion', reference.resourceVersion ?? ''],
    ['FieldPath', reference.fieldPath ?? ''],
  ]);

/** Labels of both groups. */
function selectableFields(event: Event): Readonly<Record<string, string>> {
  const { involvedObject = {}, reason = '', type = '', reportingComponent = '' } = event;
  const fields: Record<string, string> = {
    reason,
    type,
    reportingComponent,
    reportingController: reportingComponent,
    source: event.source?.component || reportingComponent,
  };
  for (const member of [
    'kind',
    'namespace',
    'name',
    'uid',
    'apiVersion',
    'resourceVersion',
    'fieldPath',
  ] as const) {
    const value = involvedObject[member] ?? '';
    fields[`involvedObject.${member}`] = value;
    fields[`regarding.${member}`] = value;
  }
  return fields;
}

function eventRow(event: Event, { age }: TableClock): TableRow {
  const { metadata, involvedObject = {}, series, source = {}, reportingComponent, reportingInstance } = event;
  const firstSeen = isUnset(event.firstTimestamp) ? age(event.eventTime) : age(event.firstTimestamp);
  const lastSeen = isUnset(event.lastTimestamp) ? firstSeen : age(event.lastTimestamp);
  const kind = (involvedObject.kind ?? '').toLowerCase();
  const component = source.component || reportingComponent || '';
  const instance = source.host || reportingInstance || '';
  return {
    cells: [
      series ? age(series.lastObservedTime) : lastSeen,
      event.type ?? '',
      event.reason ?? '',
      involvedObject.name ? `${kind}/${involvedObject.name}` : kind,
      involvedObject.fieldPath ?? '',
      instance ? `${component}, ${instance}` : component,
      (event.message ?? '').trim(),
      firstSeen,
      series ? (series.count ?? 0) : event.count || 1,
      metadata.name,
    ],
  };
}
