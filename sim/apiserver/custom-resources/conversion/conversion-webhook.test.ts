import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../api/object.ts';
import { seconds } from '../../../index.ts';
import { type Answered, definition, failing, old, setUp, things, young } from './converted-things.fixture.ts';

describe('a conversion webhook', () => {
  it('is asked there and back by what writes in its version; the storage has the stored one', () => {
    const { ask, stored } = setUp();
    expect(ask('POST', things('v2'), young('a'))).toMatchObject({
      status: 201,
      body: { apiVersion: 'example.com/v2', spec: { hostPort: 'h:1' } },
    });
    expect(stored()).toEqual([['example.com/v1', { host: 'h', port: '1' }]]);
    expect(ask('PATCH', things('v2', '/a'), { spec: { hostPort: 'x:9' } }).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { hostPort: 'x:9' },
    });
    expect(ask('PATCH', things('v2', '/a/status'), { status: { n: 1 } }).body).toMatchObject({
      metadata: { generation: 2 },
      status: { n: 1 },
    });
    const applied = ask(
      'PATCH',
      things('v2', '/a?fieldManager=m&force=true'),
      young('a', 'q:7'),
      'application/apply-patch+yaml',
    );
    expect(applied.body.metadata.managedFields?.[0]).toMatchObject({
      manager: 'm',
      apiVersion: 'example.com/v2',
      fieldsV1: { 'f:spec': { 'f:hostPort': {} } },
    });
    ask('PATCH', things('v2', '/a/scale'), { spec: { replicas: 3 } });
    expect(ask('GET', things('v2', '/a/scale')).body).toMatchObject({ spec: { replicas: 3 } });
    expect(ask('GET', things('v1', '/a')).body).toMatchObject({
      metadata: { generation: 4 },
      spec: { host: 'q', port: '7', replicas: 3 },
    });
    expect(ask('DELETE', things('v2', '/a')).status).toBe(200);
    expect(stored()).toEqual([]);
  });

  it('is not asked to make of an object what it is, where another version has become the stored one', () => {
    const { ask, asked, cluster } = setUp();
    ask('POST', things('v1'), old('a'));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
    const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    const { spec } = definition({ url: 'https://converter.example.com/convert' }, 'v2');
    ask('PUT', path, { ...kind, spec, metadata: ask('GET', path).body.metadata });
    cluster.advance(seconds(1));
    expect(ask('GET', things('v1')).body.items?.map((item) => item['spec'])).toEqual([
      { host: 'h', port: '1' },
    ]);
    expect(asked).not.toContain('a v1');
  });

  it('names the fields that somebody owns in the versions in which they are owned', () => {
    const { ask, asked } = setUp();
    const apply = 'application/apply-patch+yaml';
    ask('PATCH', things('v2', '/a?fieldManager=m'), young('a'), apply);
    expect(
      ask('PATCH', things('v1', '/a?fieldManager=k'), { spec: { host: 'b' } }).body.metadata.managedFields,
    ).toMatchObject([
      { manager: 'k', apiVersion: 'example.com/v1', fieldsV1: { 'f:spec': { 'f:host': {} } } },
    ]);
    expect(ask('PATCH', things('v2', '/a?fieldManager=n'), young('a', 'z:1'), apply).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "k" using example.com/v1: .spec.host',
    );
    asked.length = 0;
    ask('PATCH', things('v2', '/a?fieldManager=n&force=true'), young('a', 'z:1'), apply);
    // What the cache has; before, and before and after, in the version of `k`; what is stored; what is answered and cached.
    expect(asked).toEqual(['a v1', 'a v1', 'a v1', 'a v1', 'a v1', 'a v2', 'a v2']);
  });

  it('that fails for one object fails every list of the newest state, whatever it selects', () => {
    const { cluster, state, ask } = setUp();
    ask('POST', things('v1'), old('a'));
    cluster.advance(seconds(1));
    state.spoil = (answer, { request }) => {
      if (request.objects.some(({ metadata }) => metadata.labels?.['bad']))
        failing(answer, { apiVersion: '', request }, '');
    };
    ask('POST', things('v1'), { ...old('b'), metadata: { name: 'b', labels: { bad: 'x' } } });
    expect(ask('GET', things('v2', '?labelSelector=!bad')).status).toBe(500);
    expect(ask('GET', things('v2', '?labelSelector=!bad&resourceVersion=0')).body.items?.length).toBe(1);
  });

  it('sees nothing of what the schema of the version refuses', () => {
    const { ask, asked } = setUp();
    expect(ask('POST', things('v2'), young('a', 'h:1234567890')).body.message).toBe(
      'Thing.example.com "a" is invalid: spec.hostPort: Too long: may not be longer than 9',
    );
    expect(asked).toEqual([]);
  });

  it('is asked once for what caches show, and each time for a get', () => {
    const { cluster, ask, asked } = setUp();
    for (const name of ['a', 'b']) ask('POST', things('v1'), old(name));
    cluster.advance(seconds(1));
    expect(asked).toEqual(['a v2', 'b v2']);
    const { items = [] } = ask('GET', things('v2')).body;
    expect(items.map(({ spec }) => spec)).toEqual([{ hostPort: 'h:1' }, { hostPort: 'h:1' }]);
    expect(asked.length).toBe(2);
    ask('GET', things('v2', '/a'));
    ask('GET', things('v2', '/a'));
    expect(asked.length).toBe(4);
  });

  it('that fails fails who asks for its version, and nobody else; lists show what was converted before', () => {
    const { cluster, state, ask, stored } = setUp();
    ask('POST', things('v1'), old('a'));
    cluster.advance(seconds(1));
    state.spoil = failing;
    const message = 'conversion webhook for example.com/v1, Kind=Thing failed: down';
    expect(ask('GET', things('v2', '/a'))).toMatchObject({ status: 500, body: { message } });
    expect(ask('GET', things('v2')).body.items?.length).toBe(1);
    expect(ask('POST', things('v1'), old('b')).status).toBe(201);
    const before = cluster.now;
    expect(ask('GET', things('v2')).body.message).toBe(message);
    expect(cluster.now - before).toBeGreaterThanOrEqual(seconds(3));
    expect(ask('DELETE', things('v2', '/a')).body.message).toBe(message);
    expect(ask('POST', things('v2'), young('c')).body.message).toBe(
      'conversion webhook for example.com/v2, Kind=Thing failed: down',
    );
    expect(stored().length).toBe(2);
    expect(ask('DELETE', things('v1', '/a')).status).toBe(200);
    state.spoil = undefined;
    cluster.advance(seconds(1));
    expect(ask('GET', things('v2')).body.items?.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('that fails leaves the state before to whoever takes any, and what comes behind is there when it is back', () => {
    const { cluster, state, ask } = setUp();
    const names = (path: string) => ask('GET', path).body.items?.map(({ metadata }) => metadata.name);
    ask('POST', things('v1'), old('b'));
    cluster.advance(seconds(1));
    state.spoil = failing;
    for (const name of ['a', 'c']) ask('POST', things('v1'), old(name));
    ask('DELETE', things('v1', '/b'));
    cluster.advance(seconds(1));
    const before = cluster.now;
    expect(names(things('v2', '?resourceVersion=0'))).toEqual(['b']);
    expect(cluster.now - before).toBeLessThan(seconds(1));
    expect(ask('GET', things('v2', '/b?resourceVersion=0')).status).toBe(200);
    expect(ask('GET', things('v2', '/a?resourceVersion=0')).status).toBe(404);
    expect(names(things('v1', '?resourceVersion=0'))).toEqual(['a', 'c']);
    expect(ask('GET', things('v2')).status).toBe(500);
    state.spoil = undefined;
    cluster.advance(seconds(2));
    expect(names(things('v2', '?resourceVersion=0'))).toEqual(['a', 'c']);
    expect(names(things('v2'))).toEqual(['a', 'c']);
  });

  it('that fails holds watches of its version up: they go on where they were, and in order', () => {
    const { cluster, state, ask, watch } = setUp();
    for (const name of ['a', 'b', 'c']) ask('POST', things('v1'), old(name));
    const seen = (log: ReturnType<typeof watch>) =>
      log?.events.map(({ type, object }) => `${type} ${(object as ApiObject).metadata.name ?? ''}`);
    const first = watch('v2');
    cluster.advance(seconds(1));
    expect(seen(first)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    state.spoil = failing;
    ask('POST', things('v1'), old('d'));
    ask('DELETE', things('v1', '/a'));
    cluster.advance(seconds(5));
    expect(seen(first)?.length).toBe(3);
    state.spoil = undefined;
    cluster.advance(seconds(1));
    expect(seen(first)?.slice(3)).toEqual(['ADDED d', 'DELETED a']);
  });

  it('may change labels and annotations, and nothing else of the metadata', () => {
    const { state, ask } = setUp();
    ask('POST', things('v1'), old('a'));
    const get = (change: (meta: Record<string, unknown>) => void) => {
      state.spoil = (answer) => {
        for (const { metadata } of answer.response?.convertedObjects ?? []) change(metadata);
      };
      return ask('GET', things('v2', '/a')).body;
    };
    expect(get((meta) => (meta['labels'] = { l: 'x' })).metadata.labels).toEqual({ l: 'x' });
    const kept = get((meta) =>
      Object.assign(meta, { finalizers: ['x/y'], generation: 7, resourceVersion: '1' }),
    );
    expect(kept.metadata).toMatchObject({ generation: 1 });
    expect(kept.metadata.finalizers).toBeUndefined();
    const of = 'conversion webhook for example.com/v1, Kind=Thing returned invalid';
    expect(get((meta) => (meta['name'] = 'b')).message).toBe(`${of} object: must have the same name: a != b`);
    expect(get((meta) => (meta['namespace'] = 'n')).message).toBe(
      `${of} object: must have the same namespace: default != n`,
    );
    expect(get((meta) => delete meta['uid']).message).toMatch(
      /object: must have the same UID: [0-9a-f-]{36} != $/,
    );
    expect(get((meta) => (meta['labels'] = 'x')).message).toBe(
      `${of} metadata: invalid metadata.labels of type string in converted object`,
    );
    expect(get((meta) => (meta['annotations'] = { a: 1 })).message).toBe(
      `${of} metadata: metadata.annotations[a] must be a string, but is int64 in converted object`,
    );
    expect(get((meta) => (meta['annotations'] = { '!': '' })).message).toContain(
      `${of} metadata: metadata.annotation: Invalid value: "!": name part must consist of`,
    );
  });

  it('is told why its answer is none', () => {
    const { state, ask } = setUp();
    ask('POST', things('v1'), old('a'));
    const get = (spoil: (response: NonNullable<Answered['response']>, answer: Answered) => void) => {
      state.spoil = (answer) => answer.response && spoil(answer.response, answer);
      return ask('GET', things('v2', '/a')).body.message?.replace(
        'conversion webhook for example.com/v1, Kind=Thing ',
        '',
      );
    };
    expect(get((_, answer) => (answer.response = undefined))).toBe('failed: no response provided');
    expect(get((response) => (response.uid = 'x'))).toMatch(
      /^failed: expected response.uid="[^"]+", got "x"$/,
    );
    expect(get((response) => (response.result = { status: 'Failure' }))).toBe(
      "failed: response.result.status was 'Failure', not 'Success'",
    );
    expect(get((response) => (response.convertedObjects = []))).toBe('returned 0 objects, expected 1');
    expect(get(({ convertedObjects: [object] }) => object && (object.apiVersion = 'example.com/v1'))).toBe(
      'returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)',
    );
    expect(get(({ convertedObjects: [object] }) => object && Reflect.set(object, 'kind', 'Other'))).toBe(
      'returned invalid object at index 0: invalid kind (expected Thing, received Other)',
    );
    expect(get((_, answer) => Reflect.set(answer, 'kind', 'AdmissionReview'))).toBe(
      'failed: no kind "AdmissionReview" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:100"',
    );
    expect(get((_, answer) => Reflect.deleteProperty(answer, 'apiVersion'))).toBe(
      'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=ConversionReview',
    );
  });

  it('behind a service that is not there is named with its path', () => {
    const { ask } = setUp({ service: { namespace: 'default', name: 'conv' } });
    ask('POST', things('v1'), old('a'));
    expect(ask('GET', things('v2', '/a')).body.message).toBe(
      'conversion webhook for example.com/v1, Kind=Thing failed: Post "https://conv.default.svc:443/?timeout=30s": service "conv" not found',
    );
  });

  it('is asked by nobody any more once the server goes down, which holds nothing up', () => {
    const { ask, asked, cluster } = setUp();
    ask('POST', things('v1'), old('a'));
    cluster.advance(seconds(1));
    asked.length = 0;
    for (const { server } of cluster.apiServers) server?.close();
    cluster.advance(seconds(120));
    expect(asked).toEqual([]);
  });

  it('of another definition takes the place of the one before', () => {
    const { cluster, state, ask, watch } = setUp({ url: 'https://nobody.example.com/' });
    ask('POST', things('v1'), old('a'));
    const log = watch('v2');
    cluster.advance(seconds(3));
    expect(log?.events).toEqual([]);
    state.spoil = undefined;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
    const clientConfig = { url: 'https://converter.example.com/' };
    ask('PATCH', path, { spec: { conversion: { webhook: { clientConfig } } } });
    cluster.advance(seconds(3));
    expect(ask('GET', things('v2')).body.items?.length).toBe(1);
    const second = watch('v2');
    cluster.advance(seconds(1));
    expect(second?.events.map(({ type }) => type)).toEqual(['ADDED']);
  });

  it('that never answers lets go of who waits for it once the definition names another', () => {
    const { cluster, state, ask, watch } = setUp();
    state.spoil = failing;
    const log = watch('v2');
    ask('POST', things('v1'), old('a'));
    cluster.advance(seconds(3));
    expect([log?.events, log?.isEnded]).toEqual([[], false]);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
    const conversion = { strategy: 'None', webhook: null };
    expect(ask('PATCH', path, { spec: { conversion } }).status).toBe(200);
    cluster.advance(seconds(3));
    expect([log?.events, log?.isEnded]).toEqual([[], true]);
  });
});
