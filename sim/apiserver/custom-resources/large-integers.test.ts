/** Whole numbers that no double tells apart stay what they are, whatever writes beside them. */
import { expect, it } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const CARDS = '/apis/example.com/v1/cards';

function serverOfCards() {
  const server = new VirtualServer();
  const ask = (method: string, path: string, text: string, type = 'application/json') => {
    const headers = { authorization: 'Bearer admin-token', accept: 'application/json', 'content-type': type };
    const body = new TextEncoder().encode(text);
    return new TextDecoder().decode(server.request({ method, path, headers, body }).bytes);
  };
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const definition = {
    metadata: { name: 'cards.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'cards', kind: 'Card' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', JSON.stringify(definition));
  server.sleep(10_000);
  return ask;
}

it.each(['9007199254740992', '9007199254740993', '4611686018427387904', '-9223372036854775808'])(
  '%s is neither changed nor a change',
  (number) => {
    const ask = serverOfCards();
    const head = '"apiVersion":"example.com/v1","kind":"Card"';
    ask('POST', CARDS, `{${head},"metadata":{"name":"one"},"spec":{"v":${number}}}`);
    const merged = ask(
      'PATCH',
      `${CARDS}/one`,
      '{"metadata":{"labels":{"a":"b"}}}',
      'application/merge-patch+json',
    );
    const patched = ask(
      'PATCH',
      `${CARDS}/one`,
      '[{"op":"add","path":"/metadata/labels/c","value":"d"}]',
      'application/json-patch+json',
    );
    for (const answer of [merged, patched]) {
      expect(answer).toContain(`"v":${number}`);
      expect(answer).toContain('"generation":1,');
    }
  },
);
