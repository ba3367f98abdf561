import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '../object.ts';
import { fieldErrorText, invalidError } from './field-error.ts';
import { FieldPath } from './field-path.ts';
import { nameIsDnsSubdomain } from './names.ts';
import { validateFieldManager, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const METADATA = FieldPath.of('metadata');
const rules = { isNamespaced: true, nameCheck: nameIsDnsSubdomain, checksFinalizerNames: true };
const findings = (meta: ObjectMeta): readonly string[] =>
  validateObjectMeta({ name: 'one', namespace: 'default', ...meta }, rules, METADATA).map(fieldErrorText);

describe('metadata of a new object', () => {
  it('needs a name and keeps to the rules of names', () => {
    expect(findings({ name: '' })).toEqual([
      'metadata.name: Required value: name or generateName is required',
    ]);
    expect(findings({ name: 'a', generateName: 'ends-in-a-dash-' })).toEqual([]);
    expect(findings({ name: 'A_b', generateName: 'Bad_' }).map((text) => text.slice(0, 45))).toEqual([
      'metadata.generateName: Invalid value: "Bad_":',
      'metadata.name: Invalid value: "A_b": a lowerc',
    ]);
  });

  it('reports label keys and values, annotation keys in lower case and their total size', () => {
    expect(
      findings({ labels: { a: 'b', 'example.com/c': '' }, annotations: { 'Example.com/a': 'any\nthing' } }),
    ).toEqual([]);
    expect(findings({ labels: { '': '' } })[0]).toBe(
      'metadata.labels: Invalid value: "": name part must be non-empty',
    );
    expect(findings({ annotations: { '/a': '' } })).toEqual([
      'metadata.annotations: Invalid value: "/a": prefix part must be non-empty',
    ]);
    expect(findings({ annotations: { a: 'ü'.repeat(131072) } })).toEqual([
      'metadata.annotations: Too long: must have at most 262144 bytes',
    ]);
  });

  it('takes finalizers that are qualified or known, and not orphan with foregroundDeletion', () => {
    expect(findings({ finalizers: ['orphan', 'a.b/c', 'a.b/c'] })).toEqual([]);
    expect(findings({ finalizers: ['a.b/c', 'no-slash'] })).toEqual([
      'metadata.finalizers[1]: Invalid value: "no-slash": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    expect(findings({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('checks owner references', () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    expect(findings({ ownerReferences: [owner, { ...owner, apiVersion: '/v1' }] })).toEqual([]);
    expect(findings({ ownerReferences: [{ ...owner, apiVersion: 'a/b/c', uid: '' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ]);
    expect(findings({ ownerReferences: [{ ...owner, kind: 'Event' }] })).toEqual([
      'metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"o", UID:"u", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event is disallowed from being an owner',
    ]);
    const controller = { ...owner, controller: true };
    expect(findings({ ownerReferences: [controller, { ...controller, name: 'p' }] })[0]).toMatch(
      /Only one reference can have Controller set to true. Found "true" in references for ConfigMap\/o and ConfigMap\/p$/,
    );
  });

  it('names the position of a bad character in a manager', () => {
    expect(validateFieldManager('new\nline', () => FieldPath.of('fieldManager')).map(fieldErrorText)).toEqual(
      ['fieldManager: Invalid value: "new\\nline": invalid character U+000A (at position 3)'],
    );
  });
});

describe('metadata of an update', () => {
  const old: ObjectMeta = {
    name: 'one',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2001-01-01T00:00:00Z',
  };
  const updateFindings = (changes: ObjectMeta, before: ObjectMeta = {}): readonly string[] =>
    validateObjectMetaUpdate({ ...old, ...before, ...changes }, { ...old, ...before }, METADATA).map(
      fieldErrorText,
    );

  it('keeps what is immutable', () => {
    expect(updateFindings({})).toEqual([]);
    expect(
      updateFindings({
        uid: 'other',
        deletionTimestamp: '2001-02-03T04:05:06Z',
        deletionGracePeriodSeconds: 0,
      }),
    ).toEqual([
      'metadata.uid: Invalid value: "other": field is immutable',
      'metadata.deletionTimestamp: Invalid value: 2001-02-03 04:05:06 +0000 UTC: field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable',
    ]);
  });

  it('adds no finalizer to a terminating object', () => {
    const terminating: ObjectMeta = { deletionTimestamp: '2001-02-03T04:05:06Z', finalizers: ['a/b', 'c/d'] };
    expect(updateFindings({ finalizers: ['c/d', 'a/b'] }, terminating)).toEqual([]);
    expect(updateFindings({ finalizers: ['a/b', 'e/f'] }, terminating)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e/f"}',
    ]);
  });

  it('lists a finding once in the message and as often as found among the causes', () => {
    const error = validateObjectMetaUpdate({ ...old, uid: 'x' }, old, METADATA);
    const { status } = invalidError({ group: 'apps', kind: 'Deployment' }, 'one', [...error, ...error]);
    expect(status.message).toBe(
      'Deployment.apps "one" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    );
    expect(status.details?.causes).toHaveLength(2);
    expect([status.code, status.details?.group, status.details?.kind]).toEqual([422, 'apps', 'Deployment']);
  });
});
