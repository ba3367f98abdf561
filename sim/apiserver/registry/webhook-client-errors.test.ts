import { describe, expect, test } from 'vitest';
import { FieldPath } from '../../api/validation/field-path.ts';
import { webhookRouteErrors, webhookUrlErrors } from './webhook-client-errors.ts';

const textsOf = (errors: ReturnType<typeof webhookUrlErrors>): readonly string[] =>
  errors.map(({ message }) => message);

describe('the URL of a webhook', () => {
  test.each(['https://h', 'HTTPS://h', 'https://h:99999', 'https://[::1]:80/a', 'https://h?', 'https://h#'])(
    'may be %s',
    (url) => expect(webhookUrlErrors(url, FieldPath.of('url'))).toEqual([]),
  );

  test.each([
    [':', ['parse ":": missing protocol scheme']],
    ['1a:b', ['parse "1a:b": first path segment in URL cannot contain colon']],
    ['https://h:p', ['invalid port ":p" after host']],
    ['a:b', ["'https' is the only allowed", 'host must be specified']],
    ['https:///a', ['host must be specified']],
    ['https://@h', ['user information is not permitted']],
    ['https://h?a=b#c', ['fragments are not permitted', 'query parameters are not permitted']],
  ])('may not be %s', (url, found) => {
    expect(textsOf(webhookUrlErrors(url, FieldPath.of('url')))).toEqual(
      found.map((text) => expect.stringContaining(text) as string),
    );
  });
});

test.each([
  ['', []],
  ['/', []],
  ['/a/b/', []],
  ['//', ['segment[0] may not be empty']],
  ['/a//', ['segment[1] may not be empty']],
  ['a//b', ["must start with a '/'", 'segment[0] may not be empty', 'segment[1] may not be empty']],
  ['/A', ['segment[0]: a lowercase RFC 1123 subdomain']],
])('the path of a webhook on its service: %s', (route, found) => {
  expect(textsOf(webhookRouteErrors(route, FieldPath.of('path')))).toEqual(
    found.map((text) => expect.stringContaining(text) as string),
  );
});
