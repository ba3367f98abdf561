import { expect, it } from 'vitest';
import { createCluster, milliseconds } from '../../index.ts';
import { type ApiRequest, QueryParameters, type ResponseStream } from '../request/request.ts';

const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** Two watches of ConfigMaps over the wire, and whoever writes those. */
function watchedTwice(accept: string) {
  const cluster = createCluster({ controllers: [] });
  const open = (): ResponseStream => {
    const request: ApiRequest = {
      ...{ method: 'GET', path: '/api/v1/namespaces/default/configmaps', user: ADMIN, wire: true },
      query: QueryParameters.parse('watch=true'),
      headers: { accept },
    };
    const { server } = cluster.apiServers[0] ?? {};
    if (!server) throw new Error('the server is up');
    const { body } = cluster.finish(server.handle(request));
    if (body.kind !== 'stream') throw new Error('a watch is answered with a stream');
    body.stream.subscribe(() => undefined);
    return body.stream;
  };
  const streams = [open(), open()] as const;
  const read = (): readonly (readonly unknown[])[] => {
    cluster.advance(milliseconds(10));
    return streams.map((stream) => {
      const pieces: unknown[] = [];
      for (let piece = stream.read(); piece !== undefined; piece = stream.read()) pieces.push(piece);
      return pieces;
    });
  };
  read();
  return { client: cluster.client.configMaps, read };
}

it.each(['application/json', 'application/vnd.kubernetes.protobuf;stream=watch'])(
  'watches of one form, %s, are told of an event in the same bytes',
  (accept) => {
    const { client, read } = watchedTwice(accept);
    client.create({ metadata: { name: 'a' } });
    client.patch('a', { type: 'merge', body: { data: { k: 'v' } } });
    client.delete('a');
    const [one = [], other = []] = read();
    expect(one).toHaveLength(3);
    for (const [index, piece] of one.entries()) {
      expect(piece).toBeInstanceOf(Uint8Array);
      expect(other[index]).toBe(piece);
    }
  },
);
