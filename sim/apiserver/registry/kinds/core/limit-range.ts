/** LimitRange: bounds and defaults of resources for the pods, containers and claims of a namespace. */
import { append } from '../../../../api/append.ts';
import { ownMember } from '../../../../api/own-member.ts';
import type { FieldError } from '../../../../api/status.ts';
import { isNative } from '../../../../api/pod/resource-names.ts';
import { compareQuantities, int64Value, isEqualQuantity, parseQuantity } from '../../../../api/quantity.ts';
import type { LimitRange, LimitRangeItem } from '../../../../api/types/core-v1.ts';
import { duplicate, forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { isNegativeQuantity } from '../../../../api/validation/field-checks.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';
import { goQuantity, roundAll } from '../pod-spec/quantities.ts';
import { containerResourceNameErrors, isHugePages } from '../pod-spec/validate-resources.ts';
import { resourceNameErrors } from './resource-names.ts';

/** Ratios are compared in thousandths. */
const MILLI = -3;
const MOST_WITH_THOUSANDTHS = (1n << 63n) / 1000n;

type Amounts = Readonly<Record<string, string>>;

export const limitRangeKind = defineKind<LimitRange>({
  resource: 'limitranges',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    allowsCreateOnUpdate: true,
    prepareForCreate: ({ metadata }, context) => {
      metadata.name ||= context.uuid();
    },
    defaults: (draft) => {
      for (const item of draft.spec?.limits ?? []) {
        roundAll(item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio);
        if (item.type === 'Container') fillDefaults(item);
      }
    },
    validate: limitErrors,
    validateUpdate: limitErrors,
  },
});

/** A container's limit defaults to the maximum; its request to the limit, else to the minimum. */
function fillDefaults(item: Draft<LimitRangeItem>): void {
  const limits: Record<string, string> = { ...item.max, ...item.default };
  const requests: Record<string, string> = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function limitErrors({ spec }: LimitRange): FieldError[] {
  const seen = new Set<string>();
  return (spec?.limits ?? []).flatMap((item, at) => {
    const path = FieldPath.of('spec', 'limits').index(at);
    return itemErrors(item, path, seen);
  });
}

function itemErrors(item: LimitRangeItem, path: FieldPath, seen: Set<string>): FieldError[] {
  const { type, max = {}, min = {}, maxLimitRequestRatio: ratio = {} } = item;
  const errors: FieldError[] = typeErrors(type, path.child('type'));
  if (seen.has(type)) errors.push(duplicate(path.child('type'), type));
  seen.add(type);
  const keys = new Set<string>();
  const collect = (member: string, amounts: Amounts): void => {
    for (const key of Object.keys(amounts).sort()) {
      const own = path.child(member).key(key);
      append(
        errors,
        type === 'Container' || type === 'Pod'
          ? containerResourceNameErrors(key, own)
          : resourceNameErrors(key, own),
      );
      keys.add(key);
    }
  };
  collect('max', max);
  collect('min', min);
  const defaults = item.default ?? {};
  const requests = item.defaultRequest ?? {};
  if (type === 'Pod') {
    const why = "may not be specified when `type` is 'Pod'";
    if (Object.keys(defaults).length > 0) errors.push(forbidden(path.child('default'), why));
    if (Object.keys(requests).length > 0) errors.push(forbidden(path.child('defaultRequest'), why));
  } else {
    collect('default', defaults);
    collect('defaultRequest', requests);
  }
  if (type === 'PersistentVolumeClaim' && !('storage' in min) && !('storage' in max)) {
    errors.push(
      required(
        path.child('limits'),
        'either minimum or maximum storage value is required, but neither was provided',
      ),
    );
  }
  collect('maxLimitRequestRatio', ratio);
  const order = {
    min,
    max,
    defaults: type === 'Pod' ? {} : defaults,
    requests: type === 'Pod' ? {} : requests,
  };
  for (const key of [...keys].sort())
    append(errors, [...orderErrors(key, order, path), ...ratioErrors(key, { min, max, ratio }, path)]);
  return errors;
}

function typeErrors(type: string, path: FieldPath): FieldError[] {
  const errors = qualifiedName(type).map((finding) => invalid(path, type, finding));
  if (
    !type.includes('/') &&
    errors.length === 0 &&
    !['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)
  ) {
    errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'));
  }
  return errors;
}

interface Order {
  readonly min: Amounts;
  readonly max: Amounts;
  readonly defaults: Amounts;
  readonly requests: Amounts;
}

/** min ≤ defaultRequest ≤ default ≤ max, where they are given. */
function orderErrors(key: string, { min, max, defaults, requests }: Order, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (
    member: string,
    low: string | undefined,
    high: string | undefined,
    texts: readonly [string, string],
    shown = low,
  ): void => {
    if (low === undefined || high === undefined || !isGreater(low, high)) return;
    errors.push(
      invalid(
        path.child(member).key(key),
        goQuantity(shown ?? low),
        `${texts[0]} value ${low} is greater than ${texts[1]} value ${high}`,
      ),
    );
  };
  const [least, most, request, limit] = [min, max, requests, defaults].map((list) => ownMember(list, key));
  // Which of the two amounts is shown, and at which of them, is the real server's whim.
  check('min', least, most, ['min', 'max']);
  check('defaultRequest', least, request, ['min', 'default request'], request);
  check('defaultRequest', request, most, ['default request', 'max']);
  check('defaultRequest', request, limit, ['default request', 'default limit']);
  check('default', least, limit, ['min', 'default']);
  check('default', limit, most, ['default', 'max'], most);
  const isExact = !isNative(key) || isHugePages(key);
  if (isExact && limit !== undefined && request !== undefined && !isEqualQuantity(limit, request)) {
    const why = `default value ${limit} must equal to defaultRequest value ${request} in ${key}`;
    errors.push(invalid(path.child('defaultRequest').key(key), goQuantity(request), why));
  }
  return errors;
}

const isGreater = (left: string, right: string): boolean =>
  compareQuantities(parseQuantity(left), parseQuantity(right)) > 0;

function ratioErrors(
  key: string,
  { min, max, ratio }: { readonly min: Amounts; readonly max: Amounts; readonly ratio: Amounts },
  path: FieldPath,
): FieldError[] {
  const wanted = ownMember(ratio, key);
  if (wanted === undefined) return [];
  const field = path.child('maxLimitRequestRatio').key(key);
  const errors: FieldError[] = [];
  if (isGreater('1', wanted))
    errors.push(invalid(field, goQuantity(wanted), `ratio ${wanted} is less than 1`));
  const [low, high] = [ownMember(min, key), ownMember(max, key)];
  if (low !== undefined && high !== undefined && !isNegativeQuantity(low)) {
    // In thousandths where all can be counted so, else in whole units.
    const isCounted = [wanted, high, low].every((text) => int64Value(text, 0) < MOST_WITH_THOUSANDTHS);
    const limit = quotient(high, low, isCounted ? MILLI : 0);
    if (quotient(wanted, '1', isCounted ? MILLI : 0) > limit) {
      const why = `ratio ${wanted} is greater than max/min = ${limit.toFixed(6)}`;
      errors.push(invalid(field, goQuantity(wanted), why));
    }
  }
  return errors;
}

function quotient(dividend: string, divisor: string, scale: number): number {
  return Number(int64Value(dividend, scale)) / Number(int64Value(divisor, scale));
}
