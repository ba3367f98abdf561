/** PriorityLevelConfiguration: how many requests of a level run at once, and what happens to the rest. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import { oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { ZERO_SHARES_ANNOTATION } from './priority-level-conversion.ts';
import { SPEC_AND_STATUS } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { conditionsErrors, FLOW_STATUS_RULES } from './conditions.ts';
import { PRIORITY_LEVEL_CONVERSION } from './priority-level-conversion.ts';
import type { Draft } from '../../strategy.ts';

const DEFAULT_SHARES = 30;
const SPEC = FieldPath.of('spec');

export const priorityLevelKind = defineKind<PriorityLevelConfiguration>({
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'prioritylevelconfigurations',
  conversion: PRIORITY_LEVEL_CONVERSION,
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    defaults: setDefaults,
    ...SPEC_AND_STATUS,
    validate: levelErrors,
    validateUpdate: levelErrors,
    subresources: { status: { ...FLOW_STATUS_RULES, validateUpdate: levelErrors } },
    tableRow: ({ metadata, spec }, { age }) => {
      const limited = spec?.limited;
      const queuing = limited?.limitResponse?.queuing;
      const cell = (value: number | undefined): unknown => value ?? '<none>';
      return {
        cells: [
          metadata.name,
          spec?.type ?? '',
          cell(limited?.nominalConcurrencyShares),
          cell(queuing?.queues),
          cell(queuing?.handSize),
          cell(queuing?.queueLengthLimit),
          age(metadata.creationTimestamp),
        ],
      };
    },
  },
});

function setDefaults(draft: Draft<PriorityLevelConfiguration>, apiVersion: string): void {
  const { spec } = draft;
  if (spec?.limited) limitedDefaults(spec.limited, draft, apiVersion);
  if (spec?.exempt) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
}

function limitedDefaults(
  limited: Draft<LimitedPriorityLevelConfiguration>,
  { metadata }: Draft<PriorityLevelConfiguration>,
  apiVersion: string,
): void {
  // v1beta3 writes zero for "not given", unless an annotation says that zero was meant.
  const isZeroMeant =
    !apiVersion.endsWith('/v1beta3') || metadata.annotations?.[ZERO_SHARES_ANNOTATION] !== undefined;
  // v1 writes null where nothing was given.
  const shares = limited.nominalConcurrencyShares ?? undefined;
  if (shares === undefined)
    limited.nominalConcurrencyShares = isZeroMeant && apiVersion.endsWith('/v1beta3') ? 0 : DEFAULT_SHARES;
  else if (shares === 0 && !isZeroMeant) limited.nominalConcurrencyShares = DEFAULT_SHARES;
  limited.lendablePercent ??= 0;
  const { limitResponse } = limited;
  if (limitResponse?.queuing) {
    limitResponse.queuing.queues ||= 64;
    limitResponse.queuing.handSize ||= 8;
    limitResponse.queuing.queueLengthLimit ||= 50;
  }
}

function levelErrors(level: PriorityLevelConfiguration): FieldError[] {
  return [...specErrors(level), ...conditionsErrors(level.status)];
}

function responseTypeErrors(type: string | undefined, path: FieldPath): readonly FieldError[] {
  const errors = oneOf(type, ['Queue', 'Reject'], path);
  return type ? errors : [...until('1.36', errors), ...since('1.36', [required(path)])];
}

function specErrors({ metadata, spec }: PriorityLevelConfiguration): FieldError[] {
  if (!spec) return [];
  const errors: FieldError[] = [];
  const isExempt = metadata.name === 'exempt';
  const { type, limited, exempt } = spec;
  if (isExempt && type !== 'Exempt')
    errors.push(invalid(SPEC.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'"));
  else if (!isExempt && type === 'Exempt') {
    errors.push(invalid(SPEC.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (limited) errors.push(forbidden(SPEC.child('limited'), 'must be nil if the type is not Limited'));
  } else if (type === 'Limited') {
    if (exempt) errors.push(forbidden(SPEC.child('exempt'), 'must be nil if the type is Limited'));
    if (!limited) errors.push(required(SPEC.child('limited'), 'must not be empty when type is Limited'));
    else append(errors, limitedErrors(limited, SPEC.child('limited')));
  } else {
    const others = oneOf(type, ['Exempt', 'Limited'], SPEC.child('type'));
    if (type) append(errors, others);
    else append(errors, [...until('1.36', others), ...since('1.36', [required(SPEC.child('type'))])]);
  }
  return errors;
}

function limitedErrors(limited: LimitedPriorityLevelConfiguration, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const shares = limited.nominalConcurrencyShares ?? 0;
  if (shares < 0)
    errors.push(invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
  const response = limited.limitResponse;
  const field = path.child('limitResponse');
  if (response?.type === 'Queue') {
    if (!response.queuing)
      errors.push(
        required(field.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited'),
      );
    else append(errors, queuingErrors(response.queuing, field.child('queuing')));
  } else if (response?.type === 'Reject') {
    if (response.queuing)
      errors.push(
        forbidden(field.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited'),
      );
  } else append(errors, responseTypeErrors(response?.type, field.child('type')));
  const percent = limited.lendablePercent ?? 0;
  if (percent < 0 || percent > 100)
    errors.push(invalid(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive'));
  const borrowing = limited.borrowingLimitPercent;
  if (borrowing !== undefined && borrowing < 0) {
    errors.push(
      invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer'),
    );
  }
  return errors;
}

const MAX_QUEUES = 10_000_000;

function queuingErrors(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0)
    errors.push(invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > MAX_QUEUES)
    errors.push(invalid(path.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  if (handSize <= 0) errors.push(invalid(path.child('handSize'), handSize, 'must be positive'));
  else if (handSize > queues) {
    errors.push(invalid(path.child('handSize'), handSize, `should not be greater than queues (${queues})`));
  } else if (queues > 0 && entropyBits(queues, handSize) > MAX_ENTROPY_BITS) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_ENTROPY_BITS}`;
    errors.push(invalid(path.child('handSize'), handSize, why));
  }
  return errors;
}

const MAX_ENTROPY_BITS = 60;

/** So many bits it takes to deal a hand. */
const entropyBits = (queues: number, handSize: number): number => Math.ceil(Math.log2(queues) * handSize);
