/**
 * Options of list, watch and deletecollection, read from the query and checked.
 * Specification: "Query parameters", "Resource-version semantics for get and list".
 */
import { goQuote } from '../../api/go-text.ts';
import { badRequest, type FieldError } from '../../api/status.ts';
import { type FieldSelector, parseFieldSelector } from '../../api/selector/field-selector.ts';
import type { LabelSelector } from '../../api/selector/label-selector.ts';
import { parseLabelSelector } from '../../api/selector/label-selector-parser.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { forbidden, invalidError, notSupported } from '../../api/validation/field-error.ts';
import { isTrueParameter } from '../request/request-info.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Machinery } from '../machinery.ts';
import { integerParameter } from './parse-parameter.ts';

export interface ListOptions {
  readonly labelSelector: LabelSelector | undefined;
  readonly fieldSelector: FieldSelector | undefined;
  readonly isWatch: boolean;
  readonly allowsBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

const EXACT = 'Exact';
const NOT_OLDER_THAN = 'NotOlderThan';

/** @throws ApiError BadRequest or Invalid */
export function listOptionsOf(
  { request: { query }, server: { machinery } }: Pick<Exchange, 'request' | 'server'>,
  { isWatch }: { isWatch: boolean },
): ListOptions {
  const { pages, sendsBookmarks, matchesVersions, streamsLists } = machinery;
  const labelText = query.first('labelSelector');
  const fieldText = query.first('fieldSelector');
  const options: ListOptions = {
    timeoutSeconds: integerParameter(query.first('timeoutSeconds')),
    limit: (pages && integerParameter(query.first('limit'))) || 0,
    labelSelector: labelText ? parseLabelSelector(labelText) : undefined,
    fieldSelector: fieldText ? parseFieldSelector(fieldText) : undefined,
    isWatch,
    allowsBookmarks: sendsBookmarks && isTrueParameter(query.first('allowWatchBookmarks')),
    resourceVersion: query.first('resourceVersion') ?? '',
    resourceVersionMatch: (matchesVersions && query.first('resourceVersionMatch')) || '',
    continueToken: (pages && query.first('continue')) || '',
    sendInitialEvents:
      streamsLists !== 'unknown' && query.has('sendInitialEvents')
        ? isTrueParameter(query.first('sendInitialEvents'))
        : undefined,
  };
  // A path of old that is for watches alone is judged by what its query says.
  const errors =
    isWatch && isTrueParameter(query.first('watch')) ? watchErrors(options, machinery) : listErrors(options);
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return options;
}

const MATCH = FieldPath.of('resourceVersionMatch');
const INITIAL = FieldPath.of('sendInitialEvents');

function listErrors({
  resourceVersionMatch,
  resourceVersion,
  continueToken,
  sendInitialEvents,
}: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceVersionMatch !== '') {
    if (resourceVersion === '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (continueToken !== '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (resourceVersionMatch !== EXACT && resourceVersionMatch !== NOT_OLDER_THAN) {
      errors.push(notSupported(MATCH, resourceVersionMatch, [EXACT, NOT_OLDER_THAN, '']));
    }
    if (resourceVersionMatch === EXACT && resourceVersion === '0') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbidden(INITIAL, 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(options: ListOptions, { streamsLists }: Machinery): FieldError[] {
  if (streamsLists === 'unknown') {
    const text = 'resourceVersionMatch is forbidden for watch';
    return [...(options.resourceVersionMatch === '' ? [] : [forbidden(MATCH, text)]), ...listErrors(options)];
  }
  const { resourceVersionMatch: match, continueToken, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined) {
    if (match !== NOT_OLDER_THAN) {
      errors.push(
        forbidden(MATCH, `sendInitialEvents requires setting resourceVersionMatch to ${NOT_OLDER_THAN}`),
      );
    }
    if (streamsLists === 'off') {
      const text = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
      errors.push(forbidden(INITIAL, text));
    }
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      errors.push(
        forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (match !== NOT_OLDER_THAN) errors.push(notSupported(MATCH, match, [NOT_OLDER_THAN]));
    if (continueToken !== '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return errors;
}

/** A 400 for a field label that the resource does not know. */
export function checkFieldLabels(
  selector: FieldSelector | undefined,
  { fieldLabels, unsupportedFieldLabel }: { fieldLabels: ReadonlySet<string>; unsupportedFieldLabel: string },
): void {
  for (const { field, value } of selector?.requirements ?? []) {
    // A term of nothing says nothing.
    if (field === '' && value === '') continue;
    if (!fieldLabels.has(field)) throw badRequest(unsupportedText(unsupportedFieldLabel, field));
  }
}

/** Some texts quote the label, as Go does; others show it as it is. */
const unsupportedText = (text: string, label: string): string =>
  text.replace('"{label}"', () => goQuote(label)).replace('{label}', () => label);
