/** Definitions of custom resources and webhook configurations of `v1beta1`. */
import type { ApiObject } from '../../../api/object.ts';
import type { FieldError } from '../../../api/status.ts';
import type { VersionPair } from '../../conversion/conversion.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import type { DraftObject } from '../strategy.ts';
import type { OldVersion, OldVersions } from './old-version.ts';
import { defined, type Fields, fieldsOf, inVersion, itemsOf, mapped, ownFieldsOf } from './parts.ts';

const V1 = 'apiextensions.k8s.io/v1';
const V1BETA1 = 'apiextensions.k8s.io/v1beta1';

const SHARED = ['subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

const renamed =
  (from: string, to: string) =>
  ({ [from]: value, ...rest }: Fields): Fields =>
    defined({ ...rest, [to]: value });

const columns = (list: unknown, from: string, to: string): unknown => mapped(list, renamed(from, to));

/** What stood above the versions belongs to each of them that says nothing of its own. */
function newVersions(spec: Fields): readonly Fields[] {
  const said = itemsOf(spec['versions']);
  const versions =
    said.length > 0 || !spec['version'] ? said : [{ name: spec['version'], served: true, storage: true }];
  const top = { schema: spec['validation'], ...Object.fromEntries(SHARED.map((name) => [name, spec[name]])) };
  return versions.map((own) => {
    const version = { ...defined(top), ...defined(own) };
    const { additionalPrinterColumns: list } = version as Fields;
    return list === undefined
      ? version
      : { ...version, additionalPrinterColumns: columns(list, 'JSONPath', 'jsonPath') };
  });
}

function newConversion(conversion: unknown): unknown {
  if (conversion === undefined) return undefined;
  const { strategy, webhookClientConfig, conversionReviewVersions } = fieldsOf(conversion);
  const isNone = webhookClientConfig === undefined && conversionReviewVersions === undefined;
  const webhook = isNone
    ? undefined
    : defined({ clientConfig: webhookClientConfig, conversionReviewVersions });
  return defined({ strategy, webhook });
}

function oldConversion(conversion: unknown): unknown {
  if (conversion === undefined) return undefined;
  const { strategy, webhook } = fieldsOf(conversion);
  const { clientConfig, conversionReviewVersions } = fieldsOf(webhook);
  return defined({ strategy, webhookClientConfig: clientConfig, conversionReviewVersions });
}

function definitionToV1(object: ApiObject): ApiObject {
  const {
    version: _version,
    validation: _schema,
    conversion,
    preserveUnknownFields,
    ...spec
  } = fieldsOf(object['spec']);
  for (const name of SHARED) delete (spec as Record<string, unknown>)[name];
  return inVersion(object, V1, {
    spec: defined({
      ...spec,
      versions: newVersions(fieldsOf(object['spec'])),
      conversion: newConversion(conversion),
      preserveUnknownFields: preserveUnknownFields === true ? true : undefined,
    }),
  });
}

function definitionFromV1(object: ApiObject): ApiObject {
  const { versions, conversion, preserveUnknownFields = false, ...spec } = fieldsOf(object['spec']);
  const all = itemsOf(versions).map((version) => {
    const { additionalPrinterColumns: list } = version;
    return list === undefined
      ? version
      : { ...version, additionalPrinterColumns: columns(list, 'jsonPath', 'JSONPath') };
  });
  const { top, rest } = hoisted(all);
  const { schema, ...shared } = top;
  return inVersion(object, V1BETA1, {
    spec: defined({
      ...spec,
      version: all[0]?.['name'],
      validation: schema,
      ...shared,
      versions: rest,
      conversion: oldConversion(conversion),
      preserveUnknownFields,
    }),
  });
}

/** What all versions have in common stands above them. */
function hoisted(versions: readonly Fields[]): { readonly top: Fields; readonly rest: readonly Fields[] } {
  const [first = {}] = versions;
  const common = ['schema', ...SHARED].filter(
    (name) =>
      first[name] !== undefined && versions.every((version) => isEqualJson(version[name], first[name])),
  );
  return {
    top: Object.fromEntries(common.map((name) => [name, first[name]])),
    rest: versions.map((version) =>
      Object.fromEntries(Object.entries(version).filter(([name]) => !common.includes(name))),
    ),
  };
}

/** Schemas were optional, and need not have said the type of everything. */
function isLooser({ field, reason, message }: FieldError): boolean {
  if (field === 'spec.preserveUnknownFields') return true;
  if (reason !== 'FieldValueRequired') return false;
  return (
    message.endsWith('schemas are required') || /must not be empty (at the root|for specified)/.test(message)
  );
}

const definition: OldVersion = {
  pair: { toStorage: definitionToV1, fromStorage: definitionFromV1 } satisfies VersionPair,
  excuses: isLooser,
  presets: (draft) => {
    const spec = ownFieldsOf((draft['spec'] ??= {}));
    spec['scope'] ||= 'Namespaced';
    spec['preserveUnknownFields'] ??= true;
    const conversion = ownFieldsOf((spec['conversion'] ??= { strategy: 'None' }));
    if (conversion['strategy'] === 'Webhook') conversion['conversionReviewVersions'] ??= ['v1beta1'];
  },
};

const isOfWebhooks = ({ field, reason }: FieldError): boolean =>
  (field.endsWith('.sideEffects') && reason === 'FieldValueNotSupported') ||
  (/^webhooks\[\d+\]\.name$/.test(field) && reason === 'FieldValueDuplicate');

function webhookPresets(draft: DraftObject): void {
  for (const item of itemsOf(draft['webhooks'])) {
    const webhook = ownFieldsOf(item);
    webhook['failurePolicy'] ??= 'Ignore';
    webhook['matchPolicy'] ??= 'Exact';
    webhook['timeoutSeconds'] ??= 30;
    webhook['sideEffects'] ??= 'Unknown';
    if (!Array.isArray(webhook['admissionReviewVersions']) || webhook['admissionReviewVersions'].length === 0)
      webhook['admissionReviewVersions'] = ['v1beta1'];
  }
}

const webhooks: OldVersions = {
  'admissionregistration.k8s.io/v1beta1': { presets: webhookPresets, excuses: isOfWebhooks },
};

export const EXTENDING: Readonly<Record<string, OldVersions>> = {
  'customresourcedefinitions.apiextensions.k8s.io': { [V1BETA1]: definition },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
};
