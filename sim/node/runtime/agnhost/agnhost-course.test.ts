import { expect, test } from 'vitest';
import type { CourseFiles } from '../course.ts';
import { courseOfAgnhost } from './agnhost-course.ts';

const files: CourseFiles = {
  at: (path) => (path === '/etc/v/data' ? new TextEncoder().encode('value-1\n') : undefined),
  knows: (path) => path.startsWith('/etc/v/'),
  isDirectory: (path) => path === '/etc/v',
  isReadOnly: () => false,
};
const said = (...words: readonly string[]) => {
  const course = courseOfAgnhost('/agnhost', words, files);
  return (
    course && [course.exitCode, ...course.logs.map(({ text }) => text), ...(course.writes?.keys() ?? [])]
  );
};

test.each([
  [
    ['mounttest', '--file_content=/etc/v/data'],
    [0, 'content of file "/etc/v/data": value-1', ''],
  ],
  [
    ['mounttest', '--file_content=/etc/v/none'],
    [1, 'error reading file content for "/etc/v/none": open /etc/v/none: no such file or directory'],
  ],
  [
    ['mounttest', '--new_file_0644=/etc/v/new'],
    [0, 'content of file "/etc/v/new": mount-tester new file', '', '/etc/v/new'],
  ],
  [['mounttest', '--file_content=/etc/v/data', '--file_mode=/etc/v/data'], undefined],
  [['mounttest', '--file_content=/elsewhere'], undefined],
  [['mounttest'], undefined],
  [
    ['entrypoint-tester', 'a', 'b'],
    [0, '[/agnhost entrypoint-tester a b]'],
  ],
  [['netexec'], undefined],
])('%j of the test image writes %j', (words, outcome) => {
  expect(said(...words)).toEqual(outcome);
});
