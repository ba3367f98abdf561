/** How a definition may ask for conversion between its versions. */
import { append } from '../../api/append.ts';
import { goStringSlice } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import type { CustomResourceConversion } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../api/validation/field-error.ts';
import { dns1035Label } from '../../api/validation/names.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { webhookRouteErrors, webhookUrlErrors } from '../registry/webhook-client-errors.ts';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NOT_WEBHOOK = 'should not be set when strategy is not set to Webhook';

export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  path: FieldPath,
): FieldError[] {
  if (!conversion) return [];
  const errors: FieldError[] = [];
  const { strategy, webhook } = conversion;
  if (!strategy) errors.push(required(path.child('strategy')));
  else if (!STRATEGIES.includes(strategy))
    errors.push(notSupported(path.child('strategy'), strategy, STRATEGIES));
  const client = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  const clientPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  if (strategy !== 'Webhook') {
    if (client) errors.push(forbidden(clientPath, NOT_WEBHOOK));
    if (versions.length > 0) errors.push(forbidden(versionsPath, NOT_WEBHOOK));
    return errors;
  }
  if (!client) errors.push(required(clientPath, 'required when strategy is set to Webhook'));
  else if ((client.url === undefined) === (client.service === undefined))
    errors.push(required(clientPath, 'exactly one of url or service is required'));
  else if (client.service) append(errors, serviceErrors(client.service, clientPath.child('service')));
  else if (client.url !== undefined) append(errors, webhookUrlErrors(client.url, clientPath.child('url')));
  return [...errors, ...reviewVersionErrors(versions, versionsPath)];
}

type Service = NonNullable<
  NonNullable<NonNullable<CustomResourceConversion['webhook']>['clientConfig']>['service']
>;

function serviceErrors({ name, namespace, path: urlPath, port }: Service, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  // The real server takes one for the other.
  if (!namespace) errors.push(required(path.child('name'), 'service name is required'));
  if (!name) errors.push(required(path.child('namespace'), 'service namespace is required'));
  if (port !== undefined && (port < 1 || port > 65_535)) {
    errors.push(
      invalid(path.child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  }
  return [...errors, ...webhookRouteErrors(urlPath ?? '', path.child('path'))];
}

function reviewVersionErrors(versions: readonly string[], path: FieldPath): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalid(path.index(index), version, 'duplicate version')]
      : dns1035Label(version).map((problem) => invalid(path.index(index), version, problem)),
  );
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [
    ...errors,
    invalid(path, goStringSlice(versions), `must include at least one of ${REVIEW_VERSIONS.join(', ')}`),
  ];
}
