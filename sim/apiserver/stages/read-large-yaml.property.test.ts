/** A large YAML body that is read elsewhere against the same body read in place: nobody who sent it sees a difference. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { yamlToJson } from '../../api/codec/yaml.ts';
import { createApiServer } from '../../cluster/control-plane.ts';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { begin, type Process } from '../../engine/process.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { ReadYaml } from '../request/read-yaml.ts';
import { QueryParameters } from '../request/request.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { SteppedSurroundings } from '../verbs/stepped-surroundings.fixture.ts';
import { MAX_READ_HERE_BYTES } from './read-large-yaml.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const BYTES = new TextEncoder();

let readElsewhere = 0;

// oxlint-disable-next-line require-yield -- read at once
function* readYaml(text: string): Process<ReadYaml> {
  readElsewhere++;
  try {
    return { kind: 'value', ...yamlToJson(text) };
  } catch (error) {
    if (error instanceof DecodeError) return { kind: 'unreadable', message: error.message };
    throw error;
  }
}

interface Sent {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly query: Readonly<Record<string, string>>;
}

class World {
  readonly #server;

  constructor(isElsewhere: boolean) {
    const surroundings = {
      ...new SteppedSurroundings(Date.parse('2025-03-01T00:00:00Z')).given,
      ...(isElsewhere && { readYaml }),
    };
    this.#server = createApiServer({ surroundings, storage: new MemoryStorage<StoredObject>() });
  }

  answer({ method, type, bytes, query }: Sent): unknown {
    const handling = begin(
      this.#server.handle({
        method,
        path: method === 'POST' ? PATH : `${PATH}/a`,
        query: QueryParameters.of(query),
        headers: { 'content-type': type },
        body: { kind: 'bytes', bytes },
        wire: false,
        user: { name: 'admin', groups: ['system:masters'] },
      }),
    );
    if (!handling.isOver) throw new Error('the write waits');
    const { status, headers, body } = handling.value;
    return [status, headers, body.kind === 'object' ? JSON.stringify(body.object) : body.kind];
  }
}

/** What may stand at the head, amid, and at the end of a document, well-formed or not. */
const HEADS = [
  '',
  '',
  '',
  '\uFEFF\uFEFF',
  '\uFEFF',
  '---\n',
  '\uFEFF---\n',
  '%YAML 1.1\n---\n',
  '# \u00e9\n',
  '\n\n',
  '\t',
  '\u0000',
];
const MEMBERS = [
  'data: {a: "1"}',
  'data: {a: 1}',
  'data:\n  a: |\n    one\n     two',
  'data: {a: "1", a: "2"}',
  'data: &x {a: "1"}\nbinaryData: *x',
  'unknown: yes',
  'immutable: no',
  'metadata: {name: b}',
  'metadata:\n  labels: {x: "\uFEFF"}',
  '"data": {"k": "\\u00e9\\ud83d"}',
  'data: [a',
  '? [a]\n: b',
  '<<: {data: {a: "1"}}',
  'data: !!binary aGk=',
];
const TAILS = ['', '\n', '\n...\n', '\n---\nkind: Secret\n', '\uFEFF', '\n\u0007', '\r\n'];
const TYPES = ['application/yaml', 'application/apply-patch+yaml', 'application/yaml; charset=utf-8'];
const BAD_BYTES = [[], [], [], [], [0xff], [0xc3], [0xef, 0xbb, 0xbf], [0xed, 0xa0, 0x80]];

const documents: fc.Arbitrary<Uint8Array> = fc
  .record({
    badHead: fc.constantFrom(...BAD_BYTES),
    head: fc.constantFrom(...HEADS),
    members: fc.uniqueArray(fc.constantFrom(...MEMBERS), { maxLength: 3 }),
    tail: fc.constantFrom(...TAILS),
    badTail: fc.constantFrom(...BAD_BYTES),
    missing: fc.integer({ min: -1, max: 40 }),
  })
  .map(({ badHead, head, members, tail, badTail, missing }) => {
    const named = members.some((member) => member.startsWith('metadata')) ? [] : ['metadata: {name: a}'];
    const text = ['apiVersion: v1', 'kind: ConfigMap', ...named, ...members].join('\n');
    // One byte more or less than what is read here, or clearly more.
    const length = Math.max(0, MAX_READ_HERE_BYTES + (missing < 2 ? missing : 40) - text.length - 2);
    const filled = `${head}${text}\n#${'.'.repeat(length)}${tail}`;
    return new Uint8Array([...badHead, ...BYTES.encode(filled), ...badTail]);
  });

const requests = fc.record<Sent>({
  method: fc.constantFrom('POST', 'POST', 'PUT', 'PATCH'),
  type: fc.constantFrom(...TYPES),
  bytes: documents,
  query: fc.constantFrom<Sent['query'][]>(
    {},
    {},
    { fieldValidation: 'Strict' },
    { fieldManager: 'm', force: 'true' },
  ),
});

it('is answered as if it were small', () => {
  fc.assert(
    fc.property(fc.array(requests, { minLength: 1, maxLength: 4 }), (drawn) => {
      const [elsewhere, here] = [new World(true), new World(false)];
      for (const sent of drawn) expect(elsewhere.answer(sent)).toStrictEqual(here.answer(sent));
    }),
    asOftenAs(100, 4),
  );
});

// Otherwise the property would say nothing.
afterAll(() => expect(readElsewhere).toBeGreaterThan(20));
