import { expect, test } from 'vitest';
import { usualCourse, usualListeners } from './known-programs.ts';

const container = (image: string, args: readonly string[], command?: readonly string[]) => ({
  name: 'c',
  image,
  args,
  ...(command && { command }),
});

test.each([
  [
    'docker.io/library/nginx:1.27',
    [],
    [{ port: 80, responds: expect.stringContaining('Welcome to nginx!') }],
  ],
  ['e2e-test-images/httpd:2.4.38-4', [], [{ port: 80, responds: expect.stringContaining('It works!') }]],
  ['nginx', ['nginx', '-c', '/etc/other.conf'], []],
  ['nginx-ingress', [], []],
  ['postgres:16', [], []],
])('%s with %j listens where one knows it to', (image, args, listeners) => {
  expect(usualListeners(container(image, args))).toEqual(listeners);
});

test('another command is another program', () => {
  expect(usualListeners(container('nginx', [], ['/bin/sh']))).toEqual([]);
});

test.each([
  [undefined, 'Effective uid: 0'],
  [true, 'Effective uid: 0'],
  [false, 'Effective uid: 1000'],
])('with allowPrivilegeEscalation %s it says %s', (allowPrivilegeEscalation, text) => {
  const securityContext = allowPrivilegeEscalation === undefined ? {} : { allowPrivilegeEscalation };
  const image = 'registry.k8s.io/e2e-test-images/nonewprivs:1.3';
  expect(usualCourse({ name: 'c', image, securityContext }, 1000)?.logs[0]?.text).toBe(text);
});
