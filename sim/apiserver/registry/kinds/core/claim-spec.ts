/** Rules of what a claim asks for: of a claim itself, and of the template of one in a pod's volume. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
} from '../../../../api/types/core-v1.ts';
import { checkedBy, isPositiveQuantity, oneOf } from '../../../../api/validation/field-checks.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import { forbidden, invalid, required, since } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import {
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
} from '../../../../api/validation/labels.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';
import type { Draft } from '../../strategy.ts';
import { isInteger, roundAll } from '../pod-spec/quantities.ts';
import { accessModesErrors, VOLUME_MODES } from './persistent-volume-validation.ts';

/** The server prints the path itself. */
const GO_PATH = new GoSyntax(
  'field.Path{name:"dataSource", index:"", parent:(*field.Path)(0xc000000000)}',
  '{}',
);
const NONE: readonly FieldError[] = [];
type Errors = readonly FieldError[];

/** Amounts of storage are counted in thousandths, wherever a claim is written. */
export function defaultClaimSpec(spec: Draft<PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= 'Filesystem';
  roundAll(spec.resources?.limits, spec.resources?.requests);
}

/** What a claim says of sizes that are no whole number of bytes. `path`: of what has the resources. */
export const claimSizeWarnings = ({ resources }: PersistentVolumeClaimSpec, path: FieldPath): string[] =>
  (['requests', 'limits'] as const).flatMap((member) => {
    const size = resources?.[member]?.['storage'];
    if (size === undefined || isInteger(size)) return [];
    const where = path.child('resources', member).key('storage').text;
    return [`${where}: fractional byte value "${size}" is invalid, must be an integer`];
  });

interface ClaimSpecRules {
  /** A claim that named the group of its source may name any other. */
  readonly hasFreeGroups?: boolean;
  /** Of what a claim may not have yet, a template keeps what it says, and nobody looks at it. */
  readonly isOfTemplate?: boolean;
}

export function claimSpecErrors(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  rules: ClaimSpecRules = {},
): FieldError[] {
  const { accessModes = [], selector, storageClassName, volumeAttributesClassName, volumeMode } = spec;
  const modes = path.child('accessModes');
  const errors: FieldError[] = [];
  if (accessModes.length === 0) errors.push(required(modes, 'at least 1 access mode is required'));
  append(errors, validateLabelSelector(selector, path.child('selector')));
  if (accessModes.length > 0) append(errors, accessModesErrors(accessModes, modes, ''));
  append(errors, sizeErrors(spec, path.child('resources').key('storage')));
  if (storageClassName)
    append(errors, checkedBy(dns1123Subdomain, storageClassName, path.child('storageClassName')));
  if (volumeMode !== undefined) append(errors, oneOf(volumeMode, VOLUME_MODES, path.child('volumeMode')));
  append(errors, dataSourcesErrors(spec, path, rules));
  if (volumeAttributesClassName) {
    const attributes = path.child('volumeAttributesClassName');
    const found = checkedBy(dns1123Subdomain, volumeAttributesClassName, attributes);
    append(errors, rules.isOfTemplate ? since('1.34', found) : found);
  }
  return errors;
}

function sizeErrors({ resources }: PersistentVolumeClaimSpec, path: FieldPath): Errors {
  const size = resources?.requests?.['storage'];
  if (size === undefined) return [required(path)];
  return isPositiveQuantity(size) ? NONE : [invalid(path, size, 'must be greater than zero')];
}

type DataSource = NonNullable<PersistentVolumeClaimSpec['dataSource']>;

function dataSourceErrors(
  source: DataSource,
  path: FieldPath,
  { hasFreeGroups = false }: ClaimSpecRules,
): FieldError[] {
  const { name, kind, apiGroup = '' } = source;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(path.child('name')));
  if (!kind) errors.push(required(path.child('kind')));
  if (apiGroup && hasFreeGroups) return errors;
  if (apiGroup) return [...errors, ...checkedBy(dns1123Subdomain, apiGroup, path.child('apiGroup'))];
  if (kind === 'PersistentVolumeClaim') return errors;
  const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [...errors, invalid(path, kind ?? '', why)];
}

function dataSourcesErrors(
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  path: FieldPath,
  rules: ClaimSpecRules,
): Errors {
  const own = path.child('dataSource');
  const errors: FieldError[] = dataSource ? dataSourceErrors(dataSource, own, rules) : [];
  if (!dataSourceRef) return errors;
  const { namespace } = dataSourceRef;
  const place = path.child('dataSourceRef');
  append(errors, dataSourceErrors(dataSourceRef, place, rules));
  if (namespace) append(errors, checkedBy(dns1123Label, namespace, place.child('namespace')));
  if (!dataSource) return errors;
  if (namespace) {
    const why = 'may not be specified when dataSourceRef.namespace is specified';
    return [...errors, { ...invalid(path, GO_PATH, why), isNeverRepeated: true }];
  }
  const isSame = (['apiGroup', 'kind', 'name'] as const).every(
    (member) => (dataSource[member] ?? '') === (dataSourceRef[member] ?? ''),
  );
  if (isSame) return errors;
  return [...errors, { ...invalid(path, GO_PATH, 'must match dataSourceRef'), isNeverRepeated: true }];
}

const TEMPLATE_METADATA = ['annotations', 'labels'];

/** `path`: of the volume's source. */
export function claimTemplateErrors(
  template: PersistentVolumeClaimTemplate | undefined,
  path: FieldPath,
): Errors {
  const own = path.child('volumeClaimTemplate');
  if (!template) return [required(own)];
  const { metadata = {}, spec = {} } = template;
  const place = own.child('metadata');
  const others = Object.keys(metadata).filter(
    (name) => !TEMPLATE_METADATA.includes(name) && Reflect.get(metadata, name) !== null,
  );
  return [
    ...validateAnnotations(metadata.annotations, place.child('annotations')),
    ...validateLabels(metadata.labels, place.child('labels')),
    ...(others.length > 0
      ? others.map((name) => forbidden(place.child(name === 'uid' ? 'uID' : name), 'cannot be set'))
      : NONE),
    ...claimSpecErrors(spec, own.child('spec'), { isOfTemplate: true }),
  ];
}
