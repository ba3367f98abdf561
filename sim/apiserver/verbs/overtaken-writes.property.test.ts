/**
 * Writes that others overtake between their reading and their writing, once or again and again: they answer, and leave behind,
 * what they would have if the others had come first.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { ApiResponse } from '../request/request.ts';
import { randomWrite } from './random-writes.arbitrary.ts';
import { type Other, textOf, WrittenWorld } from './written-world.fixture.ts';

const UID = /0{8}-0000-4000-8000-\d{12}/g;

/** Who is the how manieth to be made, and when, is not the same. */
function withoutUids(text: string): string {
  const met: string[] = [];
  return text.replace(UID, (uid) => {
    if (!met.includes(uid)) met.push(uid);
    return `uid ${met.indexOf(uid)}`;
  });
}

const said = (response: ApiResponse): string => withoutUids(textOf(response));
const stateOf = ({ storage }: WrittenWorld): string =>
  withoutUids(JSON.stringify(storage.range({ prefix: '' })));

const other = fc.constantFrom<Other[]>('label', 'label', 'status', 'delete', 'remake');
/** Most of them are such as are taken: what is refused at once is overtaken by nobody. */
const mostlyTaken = randomWrite.map((write) => ({
  ...write,
  edits: write.edits
    .slice(0, 1)
    .map((edit) => (write.kind % 4 === 0 ? edit : { ...edit, act: 'renew' as const })),
}));
const overtaken = fc.record({
  write: mostlyTaken,
  others: fc.array(other, { maxLength: 3, size: 'max' }),
});

it('what is overtaken is as if it had come later', () => {
  const met = { once: 0, again: 0 };
  fc.assert(
    fc.property(fc.array(overtaken, { minLength: 10, maxLength: 40, size: 'max' }), (list) => {
      const [amid, after] = [new WrittenWorld(true), new WrittenWorld(true)];
      for (const { write, others } of list) {
        const answer = amid.write(write, { amid: others });
        if (amid.met > 0) met.once++;
        if (amid.met > 1) met.again++;
        expect(said(answer)).toBe(said(after.write(write, { before: others.slice(0, amid.met), amid: [] })));
      }
      expect(stateOf(amid)).toBe(stateOf(after));
    }),
    asOftenAs(20),
  );
  expect(met.once).toBeGreaterThan(60);
  expect(met.again).toBeGreaterThan(20);
});
