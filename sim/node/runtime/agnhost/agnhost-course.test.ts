import { expect, test } from 'vitest';
import type { CourseFiles } from '../course.ts';
import { courseOfAgnhost } from './agnhost-course.ts';

const files: CourseFiles = {
  at: (path) => (path === '/etc/v/data' ? new TextEncoder().encode('value-1\n') : undefined),
  knows: (path) => path.startsWith('/etc/v/'),
  isDirectory: (path) => path === '/etc/v',
  isReadOnly: () => false,
  mayRead: () => true,
};
const said = (...words: readonly string[]) => {
  const course = courseOfAgnhost('/agnhost', words, files);
  return course && [course.exitCode, ...course.logs.map(({ text }) => text)];
};

test.each([
  [
    ['entrypoint-tester', 'a', 'b'],
    [0, '[/agnhost entrypoint-tester a b]'],
  ],
  [['netexec'], undefined],
])('%j of the test image writes %j', (words, outcome) => {
  expect(said(...words)).toEqual(outcome);
});
