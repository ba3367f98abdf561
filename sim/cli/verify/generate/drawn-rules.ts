/** Rules of schemas: such as the type of what they stand at asks for, rules on changes, rules that cost too much, and wrong ones. */
import type { JsonObject } from '../../../api/object.ts';
import type { Random } from './random.ts';

const ANY = [
  'true',
  'self == oldSelf',
  'self != self',
  'has(self.a)',
  'size(self) < 3',
  'self.all(x, x == x)',
  'self.a',
  'self >',
  'self.a == self.b',
  'self.matches("a")',
  'self > 1',
  'type(self) == string',
  'self.b.exists(x, x == "a")',
  '1',
  'oldSelf.hasValue() || true',
  'oldSelf.orValue(self) == self',
  'none == 1',
  'self.nope == 1',
  '',
];

/** By type; objects are asked for members that other draws may have declared. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  string: [
    'self.startsWith("a")',
    'self.size() <= 3',
    'self.matches("^[a-z]*$")',
    'self.lowerAscii() == self',
    'self in ["a", "abc"]',
    'self == oldSelf || oldSelf == ""',
    'self.split("").all(c, c != "x")',
    'isURL(self) || !isURL(self)',
    'quantity(self).isGreaterThan(quantity("1"))',
    'self.find("[0-9]+") != ""',
    'int(self) > 0',
    'ip(self).family() == 4',
    'format.dns1123Label().validate(self).hasValue() == false',
  ],
  integer: [
    'self > 0',
    'self % 2 == 0',
    'self >= oldSelf',
    '1 / self > 0',
    'double(self) < 3.5',
    'string(self) != "2"',
  ],
  number: ['self > 0.5', 'self * 2.0 < 7.0', 'self >= oldSelf', 'int(self) == 1', 'self < 10'],
  boolean: ['self', '!self', 'self || oldSelf', 'self == true ? true : self'],
  array: [
    'self.all(x, x == self[0])',
    'self.exists(x, x == x)',
    'self.size() < 2',
    'self.isSorted()',
    'self.filter(x, true).size() == self.size()',
    'self.map(x, self.map(y, x == y)).size() < 3',
    'self.all(x, self.exists_one(y, x == y))',
    'self.all(x, self.all(y, self.all(z, x == y || y == z)))',
    'oldSelf.all(x, x in self)',
    'self.size() >= oldSelf.size()',
    'self[5] == self[0]',
    'self.exists(x, x.k == "a")',
    'self.sum() > 1',
  ],
  object: [
    'has(self.a)',
    '!has(self.a) || !has(self.b)',
    '!has(self.a) || self.a == self.a',
    'self.a == oldSelf.a',
    'self.?a.hasValue()',
    'has(self.dE) || has(self.x__dash__y)',
    'self.all(k, self[k] == self[k])',
    'self.exists(k, k == "a")',
    'self.size() < 3',
    'has(self.metadata) && self.metadata.name == "x"',
    'has(self.spec) && has(self.status)',
    'self.spec == oldSelf.spec',
    'self.c.all(x, self.c.all(y, x == y))',
    'self.kind != ""',
    'self.metadata.namespace == "x"',
  ],
};

const MESSAGES = [
  '"m"',
  'string(self)',
  '1',
  '""',
  'self',
  '"a\\nb"',
  '"is " + string(self.a)',
  '"x" + oldSelf',
  'self >',
];
const PATHS = [
  '.a',
  '.b.a',
  "['x-y']",
  '.none',
  'a',
  '.a[0]',
  '.dE',
  '',
  '.spec.a',
  "['a']",
  '.a.b.c',
  '.c[0]',
];

/** `faults` as in `drawSchema`. */
export function drawRule(schema: JsonObject, random: Random, faults: number): JsonObject {
  const { type } = schema;
  const typed = (typeof type === 'string' ? TYPED[type] : undefined) ?? ANY;
  return {
    rule: random.pick(random.chance(70) ? typed : ANY),
    ...(random.chance(30) && { message: random.pick(['no', '', 'a\nb', ' ', 'x'.repeat(30)]) }),
    ...(random.chance(20) && { messageExpression: random.pick(MESSAGES) }),
    ...(random.chance(20) && {
      reason: random.pick([
        'FieldValueInvalid',
        'FieldValueForbidden',
        'FieldValueRequired',
        'FieldValueDuplicate',
        'Bad',
      ]),
    }),
    ...(random.chance(15) && { fieldPath: random.pick(PATHS) }),
    ...(random.chance(5 + faults) && { optionalOldSelf: random.chance(60) }),
  };
}
