import { expect, test } from 'vitest';
import { usualListeners } from './known-programs.ts';

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
