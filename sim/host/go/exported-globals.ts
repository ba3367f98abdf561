/**
 * Rewrites a module so that its globals can be read and set from outside: together with its memory they are all the state
 * that a Go program has at rest. Only the section of exports is changed.
 */

/** Sections by their numbers. */
const GLOBALS = 6;
const EXPORTS = 7;
const HEAD_BYTES = 8;
const KIND_OF_GLOBALS = 3;

/** `prefix` and the number of a global are its name. The same bytes where there is nothing to show. */
export function withExportedGlobals(module: Uint8Array, prefix: string): Uint8Array {
  const sections = sectionsOf(module);
  const globals = sections.find(({ id }) => id === GLOBALS);
  const exports = sections.find(({ id }) => id === EXPORTS);
  if (!globals || !exports) return module;
  const count = readNumber(module, globals.contentAt).value;
  const exported = readNumber(module, exports.contentAt);
  const added = Array.from({ length: count }, (_, index) => {
    const name = new TextEncoder().encode(`${prefix}${index}`);
    return Buffer.concat([number(name.length), name, Uint8Array.of(KIND_OF_GLOBALS), number(index)]);
  });
  const content = Buffer.concat([
    number(exported.value + count),
    module.subarray(exported.endsAt, exports.endsAt),
    ...added,
  ]);
  return Buffer.concat([
    module.subarray(0, exports.beginsAt),
    Uint8Array.of(EXPORTS),
    number(content.length),
    content,
    module.subarray(exports.endsAt),
  ]);
}

interface Section {
  readonly id: number;
  readonly beginsAt: number;
  readonly contentAt: number;
  readonly endsAt: number;
}

function sectionsOf(module: Uint8Array): readonly Section[] {
  const sections: Section[] = [];
  for (let at = HEAD_BYTES; at < module.length;) {
    const { value, endsAt } = readNumber(module, at + 1);
    const section = { id: module[at] ?? 0, beginsAt: at, contentAt: endsAt, endsAt: endsAt + value };
    sections.push(section);
    at = section.endsAt;
  }
  return sections;
}

/** Numbers are written in groups of seven bits, the lowest first; the highest bit says that there are more. */
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly endsAt: number } {
  let value = 0;
  let factor = 1;
  for (let index = at; ; index++) {
    const byte = bytes[index] ?? 0;
    value += (byte & 0x7f) * factor;
    factor *= 0x80;
    if (byte < 0x80) return { value, endsAt: index + 1 };
  }
}

function number(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 0x80)) {
    if (left < 0x80) return Uint8Array.from([...bytes, left]);
    bytes.push((left % 0x80) | 0x80);
  }
}
