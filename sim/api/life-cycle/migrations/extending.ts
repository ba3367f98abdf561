/** What extends the API: definitions of custom resources and webhook configurations of `v1beta1`. */
import { childOf, itemsOf, type Migration, missing, type Parts, rename, wordOf } from './migration.ts';

const SHARED = ['validation', 'subresources', 'additionalPrinterColumns'] as const;

/** What stood above the versions belongs to each of them. */
function versionsOf(spec: Parts): readonly Parts[] {
  const named = itemsOf(spec['versions']);
  const versions = named.length > 0 ? named : [{ name: spec['version'], served: true, storage: true }];
  return versions.map((own) => {
    const version: Parts = { ...own };
    for (const name of SHARED) if (missing(version, name) && !missing(spec, name)) version[name] = spec[name];
    rename(version, 'validation', 'schema');
    for (const column of itemsOf(version['additionalPrinterColumns'])) rename(column, 'JSONPath', 'jsonPath');
    return version;
  });
}

const definition: Migration = (object) => {
  const spec = childOf(object['spec']);
  const notes: string[] = [];
  const versions = versionsOf(spec);
  for (const version of versions) {
    if (!missing(version, 'schema')) continue;
    version['schema'] = {
      openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    };
    notes.push(`version ${String(version['name'])} has no schema: this one lets everything through`);
  }
  for (const name of ['version', ...SHARED]) delete spec[name];
  spec['versions'] = versions;
  spec['scope'] ??= 'Namespaced';
  if (spec['preserveUnknownFields'] !== false)
    notes.push('unknown fields were kept (preserveUnknownFields): now they are, where the schema says so');
  delete spec['preserveUnknownFields'];
  const conversion = childOf(spec['conversion']);
  if (conversion['strategy'] === 'Webhook') {
    const { webhookClientConfig: clientConfig, conversionReviewVersions = ['v1beta1'] } = conversion;
    spec['conversion'] = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } };
  }
  delete object['status'];
  return notes;
};

const webhooks: Migration = (object) => {
  const notes: string[] = [];
  for (const webhook of itemsOf(object['webhooks'])) {
    webhook['failurePolicy'] ??= 'Ignore';
    webhook['matchPolicy'] ??= 'Exact';
    webhook['timeoutSeconds'] ??= 30;
    webhook['admissionReviewVersions'] ??= ['v1beta1'];
    const effects = webhook['sideEffects'] ?? 'Unknown';
    if (effects === 'None' || effects === 'NoneOnDryRun') continue;
    notes.push(
      `sideEffects of webhook ${String(webhook['name'])} is ${wordOf(effects)}: say None or NoneOnDryRun`,
    );
  }
  return notes;
};

export const EXTENDING: Readonly<Record<string, Migration>> = {
  'apiextensions.k8s.io/v1beta1.CustomResourceDefinition': definition,
  'admissionregistration.k8s.io/v1beta1.MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/v1beta1.ValidatingWebhookConfiguration': webhooks,
};
