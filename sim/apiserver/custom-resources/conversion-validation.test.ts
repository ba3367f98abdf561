/** What conversions and selectable fields are refused for, in the words of a real 1.31 server. */
import { expect, it } from 'vitest';
import { FieldPath } from '../../api/validation/field-path.ts';
import { conversionErrors } from './conversion-validation.ts';
import { selectableFieldErrors } from './selectable-fields.ts';

const PATH = FieldPath.of('conversion');
const url = { url: 'https://hooks.example.com/convert' };

function told(clientConfig: object, conversionReviewVersions: readonly string[]): readonly string[] {
  const webhook = { clientConfig, conversionReviewVersions };
  return conversionErrors({ strategy: 'Webhook', webhook }, PATH).map(({ field, message }) =>
    `${field}: ${message}`.replace('conversion.', ''),
  );
}

it.each([
  [url, ['v1', 'v9'], []],
  [url, ['v1', 'v1'], ['conversionReviewVersions[1]: Invalid value: "v1": duplicate version']],
  [
    url,
    ['v2', 'v2'],
    [
      'conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'conversionReviewVersions: Invalid value: []string{"v2", "v2"}: must include at least one of v1, v1beta1',
    ],
  ],
  [
    url,
    ['v1', 'V'],
    [expect.stringMatching(/^conversionReviewVersions\[1\]: Invalid value: "V": a DNS-1035 label must/)],
  ],
  // What is missing of a service is told of the other one.
  [
    { service: { name: 'a' } },
    ['v1'],
    ['webhookClientConfig.service.name: Required value: service name is required'],
  ],
  [
    { service: { namespace: 'a' } },
    ['v1'],
    ['webhookClientConfig.service.namespace: Required value: service namespace is required'],
  ],
])('a webhook at %j for %j is told %j', (client, versions, errors) => {
  expect(told(client, versions)).toEqual(errors);
});

it.each([
  ['.spec.', 'is an invalid path: unexpected end of JSON path'],
  ['.', 'is an invalid path: unexpected end of JSON path'],
  ['.spec..a', 'is an invalid path: does not refer to a valid field'],
])('the selectable field %s %s', (jsonPath, why) => {
  const spec = { type: 'object', properties: { a: { type: 'string' } } };
  const schema = { type: 'object', properties: { spec } };
  const [error] = selectableFieldErrors([{ jsonPath }], schema, FieldPath.of('selectableFields'));
  expect(error?.message).toBe(`Invalid value: "${jsonPath}": ${why}`);
});
