import { describe, expect, it } from 'vitest';
import { GoTape, OP, TapeDiffers } from './go-tape.ts';

const view = (number: number, id = 0): DataView => {
  const made = new DataView(new ArrayBuffer(8));
  made.setFloat64(0, number, true);
  if (id > 0) {
    made.setUint32(0, id, true);
    made.setUint32(4, 0x7ff80001, true);
  }
  return made;
};

describe('a tape', () => {
  it('says in a copy what was written, and is written on behind that', () => {
    const tape = new GoTape();
    tape.write(OP.call);
    tape.writeReference(view(0, 12), 0);
    tape.writeThing('then');
    tape.writeReference(view(1.5), 0);
    tape.writeReference(view(0), 0);
    tape.writeThing(Uint8Array.of(1, 2));
    tape.writeThing('then');
    expect([tape.isPlaying, tape.copy().isPlaying]).toEqual([false, true]);
    const copy = tape.copy();
    tape.write(99);
    const held = (id: number): string => `held ${id}`;
    expect([copy.read(), copy.readReference(held), copy.readText()]).toEqual([OP.call, 'held 12', 'then']);
    expect([copy.readReference(held), copy.readReference(held)]).toEqual([1.5, undefined]);
    expect([[...copy.readBytes()], copy.readText(), copy.isPlaying]).toEqual([[1, 2], 'then', false]);
    expect(() => copy.read()).toThrow(TapeDiffers);
    copy.writeThing('then');
    copy.write(7);
    const again = copy.copy();
    expect(again.length).toBe(tape.length + 1);
  });

  it('is held against what happens now', () => {
    const tape = new GoTape();
    tape.write(1, 2);
    const copy = tape.copy();
    copy.expect('a thing', 1);
    expect(() => copy.expect('the other', 3)).toThrow('the other was 2 in the past and is 3 now');
  });

  it.each<[string, (tape: GoTape) => void]>([
    ['numbers', (tape) => tape.write(...Array.from({ length: 65_536 }, () => 1))],
    ['letters', (tape) => tape.writeThing('x'.repeat(1024 * 1024) + String(tape.length))],
    ['bytes', (tape) => tape.writeThing(new Uint8Array(1024 * 1024))],
  ])('is given up where it has too many %s, and takes no room any more', (_what, write) => {
    const tape = new GoTape();
    for (let count = 0; count < 130; count++) write(tape);
    expect([tape.isGivenUp, tape.length, tape.isPlaying]).toEqual([true, 0, false]);
  });
});
