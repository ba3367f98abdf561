/** Requests made of their parts: what is read of their paths and queries are those parts again. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { requestInfoOf } from './request-info.ts';
import { QueryParameters } from './request.ts';
import { warningHeaders } from './warning-headers.ts';

const word = fc
  .stringMatching(/^[a-z]{1,6}$/)
  .filter((text) => !['watch', 'proxy', 'namespaces', 'status', 'finalize'].includes(text));

const asked = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
  group: fc.constantFrom('', 'apps', 'example.com'),
  isOldWatch: fc.boolean(),
  namespace: fc.option(word, { nil: '' }),
  resource: word,
  name: fc.option(word, { nil: '' }),
  subresource: fc.option(word, { nil: '' }),
  watch: fc.option(fc.constantFrom('', 'true', '1', 'no', 'false', 'FALSE', '0'), { nil: undefined }),
});

const VERBS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};
const MEANS_NO: ReadonlySet<string | undefined> = new Set([undefined, 'false', 'FALSE', '0']);

it('a path is about what it is made of', () => {
  fc.assert(
    fc.property(asked, ({ method, group, isOldWatch, namespace, resource, name, subresource, watch }) => {
      const rest = [resource, ...(name === '' ? [] : [name, ...(subresource === '' ? [] : [subresource])])];
      const path = [
        group === '' ? '/api/v1' : `/apis/${group}/v1`,
        ...(isOldWatch ? ['watch'] : []),
        ...(namespace === '' ? [] : ['namespaces', namespace]),
        ...rest,
      ].join('/');
      const query =
        watch === undefined ? '' : `a=b&watch=${watch}&watch=${MEANS_NO.has(watch) ? 'true' : '0'}`;
      const [one = '', many = ''] = VERBS[method] ?? [];
      const isWatch = name === '' && one === 'get' && !MEANS_NO.has(watch);
      expect(requestInfoOf({ method, path, query: QueryParameters.parse(query) })).toMatchObject({
        path,
        isResourceRequest: true,
        verb: isOldWatch ? 'watch' : isWatch ? 'watch' : name === '' ? many : one,
        group,
        version: 'v1',
        namespace,
        resource,
        name,
        subresource: name === '' ? '' : subresource,
        isLegacyWatch: isOldWatch,
        isMalformed: false,
      });
    }),
    asOftenAs(300),
  );
});

/** What is written, and what it says; undefined: it says nothing. */
const piece = fc.constantFrom<readonly [text: string, means: string | undefined]>(
  ['a', 'a'],
  ['b', 'b'],
  ['a+b', 'a b'],
  ['%41', 'A'],
  ['%2b', '+'],
  ['%26', '&'],
  ['%3D', '='],
  ['%3B', ';'],
  ['%c3%a4', 'ä'],
  ['', ''],
  ['%', undefined],
  ['%4', undefined],
  ['%zz', undefined],
  ['x;y', undefined],
);
const pair = fc.tuple(piece, fc.option(piece, { nil: undefined }), fc.boolean());

it('a query says what its readable parts say, each value in its turn', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 8 }), (pairs) => {
      const said = new Map<string, string[]>();
      const parts = pairs.map(([[name, means], value, hasMore]) => {
        // What comes behind the first sign belongs to the value.
        const [text, worth] = value ?? ['', ''];
        const more = value && hasMore && worth !== undefined ? '=c' : '';
        if (means !== undefined && worth !== undefined && (name !== '' || value))
          said.set(means, [...(said.get(means) ?? []), `${worth}${more}`]);
        return value ? `${name}=${text}${more}` : name;
      });
      const query = QueryParameters.parse(parts.join('&'));
      expect(query.names).toEqual([...said.keys()]);
      for (const [name, values] of said) {
        expect(query.all(name)).toEqual(values);
        expect(query.first(name)).toBe(values[0]);
        expect(query.has(name)).toBe(true);
      }
      expect(query.isEmpty).toBe(said.size === 0);
    }),
    asOftenAs(300),
  );
});

const warning = fc
  .record({
    length: fc.constantFrom(1, 20, 255, 256, 257, 700, 1_300, 4_095, 4_096),
    isReadable: fc.boolean(),
    letter: fc.constantFrom('a', '"', '\\'),
  })
  .map(({ length, isReadable, letter }) => ({
    text: letter.repeat(length - (isReadable ? 0 : 1)) + (isReadable ? '' : '\n'),
    isReadable,
  }));

it('warnings are told whole, or all cut, and as many as there is room for', () => {
  fc.assert(
    fc.property(fc.array(warning, { maxLength: 60, size: 'max' }), (warnings) => {
      const texts = warnings.filter(({ isReadable }) => isReadable).map(({ text }) => text);
      const isMuch = texts.join('').length > 4_096;
      const cut = texts.map((text) => (isMuch ? text.slice(0, 256) : text));
      const room = cut.findIndex((_, at) => cut.slice(0, at + 1).join('').length > 4_096);
      const told = room < 0 ? cut : cut.slice(0, room);
      expect(warningHeaders(warnings.map(({ text }) => text))).toEqual(
        told.map((text) => `299 - "${text.replace(/["\\]/g, String.raw`\$&`)}"`),
      );
    }),
    asOftenAs(200),
  );
});
