import { describe, expect, it } from 'vitest';
import { typeMetaOf, unrecognizedBody } from './type-meta.ts';

describe('kind and version of a body', () => {
  it('are found in any case, and may be missing', () => {
    expect(typeMetaOf({ apiVersion: 'v1', Kind: 'Pod' })).toEqual({ apiVersion: 'v1', kind: 'Pod' });
    expect(typeMetaOf({ kind: null })).toEqual({ apiVersion: '', kind: '' });
    expect(typeMetaOf(null)).toEqual({ apiVersion: '', kind: '' });
  });

  it.each([
    [{ kind: 5 }, 'json: cannot unmarshal number into Go struct field .kind of type string'],
    [[], 'json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion'],
    ['x', 'json: cannot unmarshal string into Go value of type struct'],
  ])('of %j cannot be had', (body, message) => {
    expect(() => typeMetaOf(body)).toThrow(`couldn't get version/kind; json parse error: ${message}`);
  });

  it('are missed with the beginning of the body', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(unrecognizedBody('Pod', 'why', bytes('{"apiVersion":"v1","kind":5,"metadata":{}}'))).toBe(
      'the object provided is unrecognized (must be of type Pod): why ({"apiVersion":"v1","kind":5,"m ...)',
    );
    expect(unrecognizedBody('Pod', 'why', bytes('5'))).toContain('why (35)');
    expect(unrecognizedBody('Pod', 'why', bytes(''))).toContain('why (<empty>)');
  });
});
