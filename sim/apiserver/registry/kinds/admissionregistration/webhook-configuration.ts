/** Validating- and MutatingWebhookConfiguration: which requests are shown to which webhook. */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { checkedBy, oneOf, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import {
  dns1035Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  portNumber,
} from '../../../../api/validation/names.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, Strategy } from '../../strategy.ts';
import { webhookRouteErrors, webhookUrlErrors } from '../../webhook-client-errors.ts';
import { matchConditionErrors } from './match-conditions.ts';
import { matchRuleErrors } from './match-rules.ts';

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const TIMEOUT_SECONDS = 10;
const MAX_TIMEOUT_SECONDS = 30;
const HTTPS_PORT = 443;
const KNOWN_REVIEWS = ['v1', 'v1beta1'];

export const validatingWebhookKind = defineKind<Configuration>({
  group: 'admissionregistration.k8s.io',
  resource: 'validatingwebhookconfigurations',
  strategy: webhookStrategy({ isMutating: false }),
});
export const mutatingWebhookKind = defineKind<Configuration>({
  group: 'admissionregistration.k8s.io',
  resource: 'mutatingwebhookconfigurations',
  strategy: webhookStrategy({ isMutating: true }),
});

function webhookStrategy({ isMutating }: { readonly isMutating: boolean }): Strategy<Configuration> {
  return {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    hasFreeFinalizers: true,
    requiresVersionOnUpdate: true,
    defaults: (draft) => {
      for (const webhook of (draft.webhooks ?? []) as Draft<Webhook>[]) setDefaults(webhook, isMutating);
    },
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    validate: (configuration) => webhooksErrors(configuration),
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['webhooks']),
    validateUpdate: (configuration, old) => webhooksErrors(configuration, old),
    tableRow: ({ metadata, webhooks = [] }, { age }) => ({
      cells: [metadata.name, webhooks.length, age(metadata.creationTimestamp)],
    }),
  };
}

function setDefaults(webhook: Draft<Webhook>, isMutating: boolean): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= TIMEOUT_SECONDS;
  if (isMutating) webhook.reinvocationPolicy ??= 'Never';
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= HTTPS_PORT;
}

function webhooksErrors({ webhooks = [] }: Configuration, old?: Configuration): FieldError[] {
  const before = (old?.webhooks ?? []) as readonly Webhook[];
  const conditions = before.flatMap(({ matchConditions = [] }) => matchConditions);
  const stored = new Set(conditions.map(({ expression }) => expression));
  const names = new Set<string>();
  return (webhooks as readonly Webhook[]).flatMap((webhook, at) => {
    const path = FieldPath.of('webhooks').index(at);
    const errors = [
      ...webhookErrors(webhook, path, stored),
      ...reviewErrors(webhook.admissionReviewVersions ?? [], path),
    ];
    if (webhook.name && names.has(webhook.name)) errors.push(duplicate(path.child('name'), webhook.name));
    names.add(webhook.name);
    return errors;
  });
}

function webhookErrors(webhook: Webhook, path: FieldPath, stored: ReadonlySet<string>): FieldError[] {
  const { failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = webhook;
  const errors: FieldError[] = [...fullNameErrors(webhook.name ?? '', path.child('name'))];
  for (const [at, rule] of (webhook.rules ?? []).entries())
    append(errors, matchRuleErrors(rule, path.child('rules').index(at)));
  if (failurePolicy !== undefined)
    append(errors, oneOf(failurePolicy, ['Fail', 'Ignore'], path.child('failurePolicy')));
  if (matchPolicy !== undefined)
    append(errors, oneOf(matchPolicy, ['Equivalent', 'Exact'], path.child('matchPolicy')));
  const effects = ['None', 'NoneOnDryRun'];
  if (typeof sideEffects !== 'string')
    errors.push(required(path.child('sideEffects'), 'must specify one of None, NoneOnDryRun'));
  else if (!effects.includes(sideEffects))
    errors.push(notSupported(path.child('sideEffects'), sideEffects, effects));
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > MAX_TIMEOUT_SECONDS)) {
    errors.push(
      invalid(
        path.child('timeoutSeconds'),
        timeoutSeconds,
        `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`,
      ),
    );
  }
  append(errors, validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector')));
  append(errors, validateLabelSelector(webhook.objectSelector, path.child('objectSelector')));
  if (reinvocationPolicy !== undefined) {
    append(errors, oneOf(reinvocationPolicy, ['IfNeeded', 'Never'], path.child('reinvocationPolicy')));
  }
  append(errors, clientErrors(webhook.clientConfig ?? {}, path.child('clientConfig')));
  return [
    ...errors,
    ...matchConditionErrors(webhook.matchConditions ?? [], path.child('matchConditions'), {
      hasParams: false,
      stored,
    }),
  ];
}

const MIN_SEGMENTS = 3;

function fullNameErrors(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [required(path)];
  const findings = checkedBy(dns1123Subdomain, name, path);
  if (findings.length > 0) return findings;
  if (name.split('.').length >= MIN_SEGMENTS) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function reviewErrors(versions: readonly string[], webhookPath: FieldPath): FieldError[] {
  const path = webhookPath.child('admissionReviewVersions');
  if (versions.length === 0) return [required(path, `must specify one of ${KNOWN_REVIEWS.join(', ')}`)];
  const repeated = repeatedAt(versions);
  const errors = versions.flatMap((version, at): FieldError[] => {
    if (repeated.has(at)) return [invalid(path.index(at), version, 'duplicate version')];
    return dns1035Label(version).map((finding) => invalid(path.index(at), version, finding));
  });
  if (versions.some((version) => KNOWN_REVIEWS.includes(version))) return errors;
  const detail = `must include at least one of ${KNOWN_REVIEWS.join(', ')}`;
  return [...errors, invalid(path, goStringSlice(versions), detail)];
}

function clientErrors({ url, service }: WebhookClientConfig, path: FieldPath): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return [...webhookUrlErrors(url, path.child('url'))];
  const field = path.child('service');
  const { namespace, name, path: route, port = HTTPS_PORT } = service ?? { namespace: '', name: '' };
  const errors: FieldError[] = [];
  // The real server mistakes one for the other.
  if (!namespace) errors.push(required(field.child('name'), 'service name is required'));
  if (!name) errors.push(required(field.child('namespace'), 'service namespace is required'));
  for (const finding of portNumber(port))
    errors.push(invalid(field.child('port'), port, `port is not valid: ${finding}`));
  return [...errors, ...webhookRouteErrors(route ?? '', field.child('path'))];
}
