/** What workloads have in common: a selector that matches their template, counted generations, rows. */
import { goStringMap } from '../../../../api/go-text.ts';
import {
  labelSelectorOf,
  LabelSelectorError,
  type LabelSelector as Selector,
} from '../../../../api/selector/label-selector.ts';
import type { ApiObject } from '../../../../api/object.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PodSpec, PodTemplateSpec } from '../../../../api/types/core-v1.ts';
import type { LabelSelector } from '../../../../api/types/meta-k8s-io-v1.ts';
import { forbidden, invalid, notSupported } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { IMMUTABLE, notNegative } from '../../../../api/validation/numbers.ts';
import { isSameSelector, tellingEphemeral, tellingSelector } from '../telling-lists.ts';
import type { HookContext } from '../../strategy.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { validatePodTemplate } from '../pod-spec/validate-pod-spec.ts';
import { hostnameWarning, podTemplateWarnings } from '../pod-spec/warnings.ts';

const NONE: readonly FieldError[] = [];
export const SPEC: FieldPath = FieldPath.of('spec');
export const TEMPLATE: FieldPath = FieldPath.of('spec', 'template');
export const STATUS: FieldPath = FieldPath.of('status');
/** Messages tell an empty selector from none, and empty labels. */
export const TELLING_SELECTOR: readonly (readonly string[])[] = [
  ...tellingSelector('spec', 'selector'),
  ['spec', 'template', 'metadata', 'labels'],
  ...tellingEphemeral('spec', 'template', 'spec'),
];
const MISMATCH = '`selector` does not match template `labels`';
export const POD_NAMES = 'Pod names and hostnames';

/** Warnings of the template: of a new one, and of a changed one. */
export const TEMPLATE_WARNINGS = {
  warningsOnCreate: ({ metadata, spec }: WithTemplate, context: HookContext) => [
    ...hostnameWarning(metadata.name, POD_NAMES),
    ...podTemplateWarnings(spec?.template, TEMPLATE, context),
  ],
  warningsOnUpdate: ({ metadata, spec }: WithTemplate, old: ApiObject, context: HookContext) =>
    metadata.generation === old.metadata.generation
      ? []
      : podTemplateWarnings(spec?.template, TEMPLATE, context),
};

interface WithTemplate extends ApiObject {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

/** Undefined: it is no selector. */
export function parsedSelector(selector: LabelSelector | null | undefined): Selector | undefined {
  try {
    return labelSelectorOf(selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}

export const isEmptySelector = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;

export function validateTemplateLabels(
  selector: {
    readonly isEverything: boolean;
    matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  },
  template: PodTemplateSpec | undefined,
): readonly FieldError[] {
  const labels = template?.metadata?.labels;
  if (selector.isEverything || selector.matches(labels)) return NONE;
  return [invalid(TEMPLATE.child('metadata', 'labels'), goStringMap(labels), MISMATCH)];
}

/** Pods of workloads run until they are removed. */
export function validateEndlessTemplate(spec: PodSpec | undefined, kind: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const policy = spec?.restartPolicy ?? '';
  if (policy !== 'Always')
    errors.push(notSupported(TEMPLATE.child('spec', 'restartPolicy'), policy, ['Always']));
  if (spec?.activeDeadlineSeconds !== undefined) {
    errors.push(
      forbidden(
        TEMPLATE.child('spec', 'activeDeadlineSeconds'),
        `activeDeadlineSeconds in ${kind} is not Supported`,
      ),
    );
  }
  return errors;
}

export function validateWorkloadTemplate(
  selector: Parameters<typeof validateTemplateLabels>[0],
  template: PodTemplateSpec | undefined,
  kind: string,
): readonly FieldError[] {
  return [
    ...validateTemplateLabels(selector, template),
    ...validatePodTemplate(template, TEMPLATE),
    ...validateEndlessTemplate(template?.spec, kind),
  ];
}

export function validateSelectorKept(
  now: LabelSelector | undefined,
  old: LabelSelector | undefined,
): readonly FieldError[] {
  return isSameSelector(now, old)
    ? NONE
    : [invalid(SPEC.child('selector'), now ? goLabelSelector(now) : null, IMMUTABLE)];
}

/** None of the members is negative. */
export function validateCounts<T extends object>(
  value: T,
  names: readonly (keyof T & string)[],
  path: FieldPath,
): readonly FieldError[] {
  return names.flatMap((name) => {
    const count: unknown = value[name];
    return typeof count === 'number' ? notNegative(count, path.child(name)) : NONE;
  });
}

/** Findings where the left member is greater than the right one. */
export function validateNotGreater<T extends object>(
  value: T,
  pairs: readonly (readonly [left: keyof T & string, right: keyof T & string, why: string])[],
  path: FieldPath,
): readonly FieldError[] {
  const count = (name: keyof T): number => {
    const member: unknown = value[name];
    return typeof member === 'number' ? member : 0;
  };
  return pairs
    .filter(([left, right]) => count(left) > count(right))
    .map(([left, , why]) => invalid(path.child(left), count(left), why));
}

export const OVER_REPLICAS = 'cannot be greater than status.replicas';
export const OVER_READY = 'cannot be greater than readyReplicas';

interface WithCollisions<Status> extends ApiObject {
  readonly status?: Status;
}

/** Update rule of a status that counts name collisions. `none` stands for a status that is not there. */
export const validateCountingStatus =
  <Status extends { readonly collisionCount?: number }>(
    validate: (status: Status) => readonly FieldError[],
    none: Status,
  ) =>
  ({ status = none }: WithCollisions<Status>, old: WithCollisions<Status>): readonly FieldError[] => [
    ...validate(status),
    ...validateCollisions(status.collisionCount, old.status?.collisionCount),
  ];

/** A count of name collisions never falls. */
function validateCollisions(now: number | undefined, old: number | undefined): readonly FieldError[] {
  if (old === undefined) return NONE;
  if (now !== undefined && now >= old) return NONE;
  return [invalid(STATUS.child('collisionCount'), now ?? 0, 'cannot be decremented')];
}

/** Names and images of a template's containers, as a Table shows them. */
export function containerCells(spec: PodSpec | undefined): readonly [names: string, images: string] {
  const containers = spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

/** A selector in a Table. */
export const selectorCell = (selector: LabelSelector | null | undefined): string => {
  if (!selector) return '<none>';
  const parsed = parsedSelector(selector);
  if (!parsed) return '<error>';
  return parsed.text === '' ? '<none>' : parsed.text;
};

/** Labels in a Table: `a=1,b=2`. */
export const labelsCell = (labels: Readonly<Record<string, string>> | undefined): string => {
  const names = Object.keys(labels ?? {}).sort();
  return names.length === 0 ? '<none>' : names.map((name) => `${name}=${labels?.[name] ?? ''}`).join(',');
};
