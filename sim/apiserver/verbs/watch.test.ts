import { expect, test } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { VirtualServer, type VirtualServerOptions } from '../../cli/golden/virtual-server.ts';

/** A server with config map `a` in the namespace default, and the kinds of events and answers that it gives. */
function watched(options?: VirtualServerOptions) {
  const server = new VirtualServer(options);
  const ask = (method: string, path: string, body?: object): string => {
    const { status, bytes } = server.request({
      method,
      path,
      headers: {
        authorization: 'Bearer admin-token',
        accept: 'application/json',
        'content-type': 'application/json',
      },
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    });
    const text = new TextDecoder().decode(bytes);
    return status === 200 ? text : `${status}: ${(JSON.parse(text) as { message: string }).message}`;
  };
  const { metadata } = JSON.parse(ask('GET', '/api/v1/configmaps')) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  return (path: string): readonly string[] =>
    ask('GET', path.replace('BEFORE', metadata.resourceVersion))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (/^[45]/.test(line) ? line : (JSON.parse(line) as { type: string }).type));
}

const ONE_SECOND = 'timeoutSeconds=1';
const EVERYWHERE = `/api/v1/configmaps?watch=1&${ONE_SECOND}`;
const NAMED = 'fieldSelector=metadata.name=a';

test.each([
  [`/api/v1/namespaces/default/configmaps?watch=1&${ONE_SECOND}&${NAMED}`, ['ADDED']],
  [`${EVERYWHERE}&${NAMED},metadata.namespace=default`, ['ADDED']],
  [`${EVERYWHERE}&${NAMED}`, []],
  [`${EVERYWHERE}&${NAMED}&resourceVersion=0`, []],
  [`${EVERYWHERE}&${NAMED}&resourceVersion=BEFORE`, ['ADDED']],
  [`/api/v1/namespaces?watch=1&${ONE_SECOND}&fieldSelector=metadata.name=default`, ['ADDED']],
])('a watch for one name, %s, begins with %j', (path, events) => {
  expect(watched()(path)).toEqual(events);
});

test.each(['1.29', '1.34'])(
  'of release %s one for a name everywhere begins with what is there, too',
  (release) => {
    expect(watched({ release: findRelease(release) })(`${EVERYWHERE}&${NAMED}`)).toEqual(['ADDED']);
  },
);

const LEGACY = `/api/v1/watch/namespaces/default/configmaps?${ONE_SECOND}`;
const INVALID = '422: ListOptions.meta.k8s.io "" is invalid: ';

test.each<readonly [string, readonly string[]]>([
  [`${LEGACY}&resourceVersionMatch=NotOlderThan&resourceVersion=BEFORE`, ['ADDED']],
  [
    `${LEGACY}&resourceVersionMatch=NotOlderThan`,
    [
      `${INVALID}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
  ],
  [
    `${LEGACY}&sendInitialEvents=true`,
    [`${INVALID}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`],
  ],
  [
    `${LEGACY}&watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=BEFORE`,
    [
      `${INVALID}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
  ],
  [`/api/v1/watch/namespaces/default/configmaps/a?${ONE_SECOND}&${NAMED}`, ['ADDED']],
  [`/api/v1/watch/namespaces/default/configmaps/a?${ONE_SECOND}&fieldSelector=`, ['ADDED']],
  ...['metadata.name=b', 'metadata.name!=b', 'metadata.namespace=default'].map(
    (selector): readonly [string, readonly string[]] => [
      `/api/v1/watch/namespaces/default/configmaps/a?${ONE_SECOND}&fieldSelector=${selector}`,
      ["400: fieldSelector metadata.name doesn't match requested name"],
    ],
  ),
])('a path of old, %s, is judged by what its query says', (path, answers) => {
  expect(watched()(path)).toEqual(answers);
});

const STREAMED = `/api/v1/namespaces/default/configmaps?watch=1&${ONE_SECOND}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

test.each(['1.31', '1.34'])(
  'of release %s, a streamed list of a version that is not there yet begins, and ends with an error',
  (release) => {
    const events = watched({ release: findRelease(release), featureGates: 'WatchList=true' });
    expect(events(`${STREAMED}&resourceVersion=99999999`)).toEqual(['ERROR']);
    expect(events(STREAMED)).toEqual(['ADDED', 'BOOKMARK']);
  },
);

test.each([
  ['configmaps', ['', 0, '<unknown>']],
  ['limitranges', ['', '0001-01-01T00:00:00Z']],
])('a bookmark of %s as a row says %j', (resource, cells) => {
  const server = new VirtualServer({ featureGates: 'WatchList=true' });
  const { bytes } = server.request({
    method: 'GET',
    path: STREAMED.replace('configmaps', resource),
    headers: {
      authorization: 'Bearer admin-token',
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    },
  });
  const last = new TextDecoder().decode(bytes).trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ type: 'BOOKMARK', object: { rows: [{ cells }] } });
});
