import { describe, expect, it } from 'vitest';
import { KUBERNETES_DIALECT, neutralDialect } from './dialect.ts';
import {
  ALL_ENCODINGS,
  bodyEncoding,
  customObjectOffer,
  negotiate,
  negotiateStream,
  objectOffer,
  patchForm,
  routeRefusal,
} from './media-type.ts';

const offer = objectOffer(KUBERNETES_DIALECT);
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const ONLY = `only the following media types are accepted: application/json, application/yaml, ${PROTOBUF}`;
const table = 'as=Table;v=v1;g=meta.k8s.io';

describe('an Accept header', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json;charset=utf-8', 'json'],
    ['application/json;q=0', 'json'],
    ['application/yaml', 'yaml'],
    [`application/json;q=0.5,${PROTOBUF};q=0.6`, 'protobuf'],
    [`${PROTOBUF},application/json`, 'protobuf'],
    ['text/html, application/json;q=0.5', 'json'],
    ['*/*,application/yaml', 'yaml'],
    [`application/json;as=Bogus;v=v1;g=meta.k8s.io,application/yaml`, 'yaml'],
    [`${PROTOBUF};${table},application/json`, 'json'],
  ])('%s chooses %s', (accept, encoding) => {
    expect(negotiate(accept, offer)).toMatchObject({ encoding });
    expect(negotiate(accept, offer).conversion).toBeUndefined();
  });

  it.each(['application/json', 'application/yaml', '*/*'])('%s may ask for a Table', (mediaType) => {
    expect(negotiate(`${mediaType};${table}`, offer).conversion).toEqual({
      kind: 'Table',
      version: 'v1',
      group: 'meta.k8s.io',
    });
  });

  it.each([
    'application/json;as=Table',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
    'application/json;as=table;v=v1;g=meta.k8s.io',
    'application/json;v=v1',
    `${PROTOBUF};${table}`,
    'text/html',
  ])('%s is not acceptable', (accept) => {
    expect(() => negotiate(accept, offer)).toThrow(ONLY);
  });

  it('may ask for protobuf of custom resources only as metadata', () => {
    const custom = customObjectOffer(KUBERNETES_DIALECT);
    const metadata = `${PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`;
    expect(negotiate(metadata, custom).encoding).toBe('protobuf');
    expect(negotiate(`${PROTOBUF},application/json`, custom).encoding).toBe('json');
    expect(() => negotiate(PROTOBUF, custom)).toThrow(ONLY);
  });

  it('speaks the dialect of the server', () => {
    const neutral = objectOffer(neutralDialect('example.org'));
    expect(negotiate('application/vnd.orchestrator.protobuf', neutral).encoding).toBe('protobuf');
    expect(negotiate('application/json;as=Table;v=v1;g=meta.example.org', neutral).conversion).toBeDefined();
    expect(() => negotiate(PROTOBUF, neutral)).toThrow('application/vnd.orchestrator.protobuf');
  });

  it('cannot ask for a watch as YAML', () => {
    expect(negotiateStream('application/json;stream=watch', offer)).toMatchObject({ stream: 'watch' });
    expect(() => negotiateStream('application/yaml', offer)).toThrow('application/json;stream=watch, ');
  });
});

describe('a route', () => {
  const route = { dialect: KUBERNETES_DIALECT, encodings: ALL_ENCODINGS, isList: false };

  it.each([undefined, '', '*/*', 'application/json', `text/html, application/yaml;q=0.1`, `*/*;${table}`])(
    'lets %s through',
    (accept) => {
      expect(routeRefusal(accept, route)).toBeUndefined();
    },
  );

  it.each(['text/html', 'application/*', '*', 'APPLICATION/JSON', 'nonsense', ';;;'])(
    'refuses %s',
    (accept) => {
      expect(routeRefusal(accept, route)?.message).toBe(
        `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ${PROTOBUF}`,
      );
    },
  );

  it('of a list offers streams as well', () => {
    expect(routeRefusal('text/html', { ...route, isList: true })?.message).toContain(
      `${PROTOBUF}, application/json;stream=watch, ${PROTOBUF};stream=watch`,
    );
  });
});

describe('the content type of a body', () => {
  it.each([
    [undefined, 'json'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['application/yaml', 'yaml'],
    [PROTOBUF, 'protobuf'],
  ])('%s is %s', (contentType, encoding) => {
    expect(bodyEncoding(contentType, KUBERNETES_DIALECT)).toBe(encoding);
  });

  it('has to be known', () => {
    expect(() => bodyEncoding('text/yaml', KUBERNETES_DIALECT)).toThrow(
      `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${PROTOBUF}`,
    );
  });

  it('tells the form of a patch', () => {
    const forms = ['json', 'merge', 'apply'] as const;
    expect(patchForm('application/apply-patch+yaml; charset=utf-8', forms)).toBe('apply');
    expect(() => patchForm('application/json', forms)).toThrow('415: Unsupported Media Type');
    expect(() => patchForm('application/strategic-merge-patch+json', forms)).toThrow(
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  });
});
