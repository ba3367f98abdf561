import { expect, test } from 'vitest';
import { usualListeners } from './known-programs.ts';

const container = (image: string, args: readonly string[], command?: readonly string[]) => ({
  name: 'c',
  image,
  args,
  ...(command && { command }),
});

test.each([
  ['registry.k8s.io/e2e-test-images/agnhost:2.53', ['serve-hostname'], [{ port: 9376 }]],
  ['agnhost', ['serve-hostname', '--port=80'], [{ port: 80 }]],
  ['agnhost:1', ['netexec', '--http-port', '8083'], [{ port: 8083 }]],
  ['agnhost:1', ['netexec', '--udp-port=1'], [{ port: 8080 }]],
  ['agnhost:1', ['pause'], []],
  ['example.com/myagnhost:1', ['serve-hostname'], []],
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
  expect(usualListeners(container('agnhost:1', ['serve-hostname'], ['/bin/sh']))).toEqual([]);
});
