import { expect, test } from 'vitest';
import { controllersOf } from './controller-selection.ts';
import { EVERY_CONTROLLER } from './create-cluster.ts';

test.each([
  ['*', EVERY_CONTROLLER],
  ['*,-taint-eviction-controller', EVERY_CONTROLLER.filter((name) => name !== 'taint-eviction-controller')],
  ['taint-eviction-controller', ['taint-eviction-controller']],
  // Former names will do.
  ['ttl,podgc', ['pod-garbage-collector-controller', 'ttl-controller']],
  // The first word about a controller counts.
  ['-taint-eviction-controller,taint-eviction-controller', []],
  // What is not modelled does not run anyway.
  ['*,-resourceclaim-controller', EVERY_CONTROLLER],
  // What has to be named runs where it is.
  ['ttl,nodeipam', ['ttl-controller', 'node-ipam-controller']],
])('%s selects controllers as kube-controller-manager does', (text, expected) => {
  expect(controllersOf(text)).toEqual(expected);
});

test.each([
  ['nodelifecycles', '"nodelifecycles" is not in the list of known controllers'],
  ['', '"" is not in the list of known controllers'],
  ['resourceclaim-controller', '"resourceclaim-controller" is not modelled; there are'],
])('%j is refused', (text, message) => {
  expect(() => controllersOf(text)).toThrow(message);
});
