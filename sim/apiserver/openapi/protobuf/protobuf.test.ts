/** The bytes are those that a real 1.31 server gives of such documents. */
import { describe, expect, it } from 'vitest';
import { VirtualServer } from '../../../cli/golden/virtual-server.ts';
import { documentOfVersion2 } from './version-2.ts';
import { documentOfVersion3 } from './version-3.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const info = { title: 'Kubernetes', version: '1.31' };
const INFO = '120a0a4b756265726e65746573';

it('writes version 3', () => {
  const schema = { type: 'object', properties: { major: { type: 'string', default: '' } } };
  const document = { openapi: '3.0.0', info, paths: {}, components: { schemas: { Info: schema } } };
  const major = '0a190a056d616a6f7212100a0eca0106737472696e678a02021a00';
  expect(hex(documentOfVersion3(document))).toBe(
    `0a05332e302e3012${INFO}3204312e333122002a350a330a310a04496e666f12290a27ca01066f626a656374fa011b${major}`,
  );
});

it('writes version 2', () => {
  const get = {
    operationId: 'getCodeVersion',
    responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Info' } } },
    'x-kubernetes-action': 'list',
  };
  const parameters = [{ in: 'query', name: 'watch', type: 'boolean', uniqueItems: true }];
  const document = {
    swagger: '2.0',
    info,
    paths: { '/version/': { get, parameters } },
    definitions: { Info: { type: 'object', required: ['a'], additionalProperties: { type: 'string' } } },
    security: [{ BearerToken: [] }],
  };
  expect(hex(documentOfVersion2(document))).toBe(
    `0a03322e3012${INFO}1204312e3331` +
      '428d01128a010a092f76657273696f6e2f127d12592a0e676574436f646556657273696f6e4a270a250a03323030121e0a1c0a024f4b' +
      '12160a140a12232f646566696e6974696f6e732f496e666f6a1e0a13782d6b756265726e657465732d616374696f6e120712056c6973740a' +
      '4a200a1e121c1a1a12057175657279220577617463683207626f6f6c65616ea00101' +
      '4a290a270a04496e666f121f9a010161aa010d0a0bb201080a06737472696e67b201080a066f626a656374' +
      '62110a0f0a0b426561726572546f6b656e1200',
  );
});

describe('a server', () => {
  const server = new VirtualServer();
  const PROTO = 'com.github.proto-openapi.spec';
  const typeOf = (path: string, accept: string): string => {
    const asked = { authorization: 'Bearer admin-token', accept };
    const { status, headers } = server.request({ method: 'GET', path, headers: asked });
    return status === 200 ? (headers.find(([name]) => name === 'content-type')?.[1] ?? '') : String(status);
  };

  it.each([
    ['/openapi/v2', `application/${PROTO}.v2@v1.0+protobuf`, `application/${PROTO}.v2.v1.0+protobuf`],
    ['/openapi/v2', `application/${PROTO}.v2.v1.0+protobuf`, `application/${PROTO}.v2.v1.0+protobuf`],
    [
      '/openapi/v2',
      `application/json;q=0.1, application/${PROTO}.v2@v1.0+protobuf`,
      `application/${PROTO}.v2.v1.0+protobuf`,
    ],
    ['/openapi/v2', 'application/*', 'application/json'],
    ['/openapi/v2', 'application/json;as=x', 'application/json'],
    ['/openapi/v2', `application/${PROTO}.v3@v1.0+protobuf`, '406'],
    ['/openapi/v2', 'application/vnd.kubernetes.protobuf', '406'],
    ['/openapi/v3/version', `application/${PROTO}.v3@v1.0+protobuf`, `application/${PROTO}.v3.v1.0+protobuf`],
    ['/openapi/v3/version', `application/${PROTO}.v2@v1.0+protobuf, application/json`, 'application/json'],
    ['/openapi/v3/version', `application/${PROTO}.v2@v1.0+protobuf`, '406'],
    ['/openapi/v3', `application/${PROTO}.v2@v1.0+protobuf`, 'text/plain; charset=utf-8'],
  ])('%s of who takes %s is %s', (path, accept, type) => {
    expect(typeOf(path, accept)).toBe(type);
  });
});
