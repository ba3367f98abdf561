import { expect, test } from 'vitest';
import { ScopeIndex } from './scope-index.ts';

const index = (...scopes: readonly string[]) => {
  const made = new ScopeIndex<string>();
  for (const scope of scopes) made.add(scope, scope || '(all)');
  return made;
};

const visited = (scopes: ScopeIndex<string>, key: string) => {
  const members: string[] = [];
  scopes.visit(key, (member) => members.push(member), undefined);
  return members;
};

test('a key leads to itself and to its directories, the narrowest first', () => {
  const scopes = index('', '/', '/pods/', '/pods/x/', '/pods/x/a', '/pods/y/', 'pods/');
  expect(visited(scopes, '/pods/x/a')).toEqual(['/pods/x/a', '/pods/x/', '/pods/', '/', '(all)']);
  expect(visited(scopes, '/pods/y/a')).toEqual(['/pods/y/', '/pods/', '/', '(all)']);
  expect(visited(scopes, 'pods/a')).toEqual(['pods/', '(all)']);
  expect(visited(scopes, 'pods')).toEqual(['(all)']);
});

test('scopes may come and go between visits', () => {
  const scopes = index('/pods/');
  expect(visited(scopes, '/pods/x/a')).toEqual(['/pods/']);
  scopes.add('/pods/x/', 'late');
  scopes.add('/pods/x/a', 'one');
  expect(visited(scopes, '/pods/x/a')).toEqual(['one', 'late', '/pods/']);
  scopes.delete('/pods/', '/pods/');
  scopes.delete('/pods/x/a', 'one');
  scopes.delete('/pods/x/a', 'one');
  expect(visited(scopes, '/pods/x/a')).toEqual(['late']);
});

test('members of a scope are visited in the order of their coming', () => {
  const scopes = new ScopeIndex<string>();
  for (const member of ['b', 'a', 'c']) scopes.add('/pods/', member);
  scopes.delete('/pods/', 'a');
  scopes.add('/pods/', 'a');
  expect(visited(scopes, '/pods/x')).toEqual(['b', 'c', 'a']);
});

test('more directories than are remembered are still found', () => {
  const scopes = index('/pods/');
  for (let nth = 0; nth < 25_000; nth += 1) expect(visited(scopes, `/pods/${nth}/a`)).toEqual(['/pods/']);
});
