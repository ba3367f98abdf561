/** Random expressions over one schema: most are well typed, some are not. Equal seeds give equal expressions. */
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';

type Type =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'int'
  | 'ints'
  | 'map'
  | 'string'
  | 'strings'
  | 'timestamp'
  | 'uint';

export const SCHEMA: JSONSchemaProps = {
  type: 'object',
  properties: {
    i: { type: 'integer' },
    j: { type: 'integer' },
    d: { type: 'number' },
    s: { type: 'string', maxLength: 20 },
    t: { type: 'string', maxLength: 5 },
    b: { type: 'boolean' },
    li: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    ls: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
      items: { type: 'string', maxLength: 5 },
    },
    lo: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n'],
      items: {
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'string', maxLength: 5 }, v: { type: 'integer' } },
      },
    },
    m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
    o: { type: 'object', properties: { p: { type: 'integer' }, q: { type: 'string', maxLength: 5 } } },
    ts: { type: 'string', format: 'date-time' },
    du: { type: 'string', format: 'duration' },
    by: { type: 'string', format: 'byte', maxLength: 20 },
    ios: { 'x-kubernetes-int-or-string': true },
    nul: { type: 'string', nullable: true, maxLength: 5 },
    'x-dash': { type: 'integer' },
    gone: { type: 'string', maxLength: 5 },
  },
};

export const OBJECT = {
  i: 7,
  j: -3,
  d: 2.5,
  s: 'Hello, Wörld',
  t: 'ab',
  b: true,
  li: [3, 1, 2],
  ls: ['x', 'y', 'zz'],
  lo: [{ n: 'a', v: 1 }, { n: 'b' }],
  m: { k: 1, l: 2 },
  o: { p: 4, q: 'q' },
  ts: '2024-02-29T12:34:56.789Z',
  du: '1h30m',
  by: 'aGVsbG8=',
  ios: '80%',
  'x-dash': 9,
} as const;

export class RandomExpressions {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, limit). */
  #draw(limit: number): number {
    // A counter through the finalizer of murmur3.
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) % limit;
  }

  #pick(texts: readonly string[]): string {
    return texts[this.#draw(texts.length)] ?? '';
  }

  next(): string {
    const types: readonly Type[] = [
      ...(['bool', 'int', 'string', 'double', 'ints', 'strings', 'map', 'timestamp', 'duration'] as const),
      ...(['bytes', 'uint', 'dyn'] as const),
    ];
    return this.#of(types[this.#draw(types.length)] ?? 'bool', 1 + this.#draw(3), []);
  }

  /** `locals`: variables of comprehensions around, by type. */
  #of(type: Type, depth: number, locals: readonly (readonly [string, Type])[]): string {
    const shaken =
      this.#draw(25) === 0 ? (['int', 'string', 'bool', 'double'] as const)[this.#draw(4)] : undefined;
    const wanted = shaken ?? type;
    const own = locals.filter(([, each]) => each === wanted).map(([name]) => name);
    if (own.length > 0 && this.#draw(3) === 0) return this.#pick(own);
    if (depth <= 0) return this.#pick(LEAVES[wanted]);
    const template = this.#pick(TEMPLATES[wanted]);
    return template.replace(/<(\w+)(?:\|(\w+):(\w+))?>/g, (_hole, hole: Type, name?: string, of?: Type) => {
      const more = name !== undefined && of !== undefined ? [...locals, [name, of] as const] : locals;
      return this.#of(hole, depth - 1 - this.#draw(2), more);
    });
  }
}

const LEAVES: Readonly<Record<Type, readonly string[]>> = {
  bool: ['true', 'false', 'self.b', 'has(self.gone)', 'has(self.o.p)', 'has(self.nul)'],
  bytes: ['self.by', "b'abc'", "b'\\xff'", "bytes('é')"],
  double: ['self.d', '1.5', '-0.25', '1e10', '3.0', '0.0', '1e-7', '123456789.125'],
  duration: ['self.du', "duration('90s')", "duration('-1.5h')", "duration('1ns')", "duration('0')"],
  dyn: ['self.ios', 'dyn(1)', 'dyn("x")', 'dyn(2.0)', 'dyn([1])', 'dyn({"a": 1})', 'dyn(null)', 'dyn(true)'],
  int: [
    'self.i',
    'self.j',
    'self.o.p',
    'self.x__dash__dash',
    '0',
    '1',
    '-1',
    '42',
    '9223372036854775807',
    'self.lo[0].v',
    'self.lo[1].v',
    '0x1F',
  ],
  ints: ['self.li', '[1, 2, 3]', '[]', '[self.i, self.j]', '[0]'],
  map: ['self.m', '{"a": 1, "b": 2}', '{}', '{"k": self.i}'],
  string: [
    'self.s',
    'self.t',
    'self.o.q',
    '""',
    '"a"',
    "'x,y'",
    '"ß😀"',
    'self.gone',
    'self.ls[0]',
    'r"\\d"',
    '"10.0.0.1"',
    '"1Gi"',
  ],
  strings: ['self.ls', '["a", "b"]', '["x"]', '[self.s, self.t]', '["b", "a", "b"]'],
  timestamp: [
    'self.ts',
    "timestamp('2020-01-01T00:00:00Z')",
    "timestamp('1999-12-31T23:59:59.5+01:00')",
    'timestamp(0)',
  ],
  uint: ['1u', '0u', '18446744073709551615u', 'uint(self.i)'],
};

const COMPARISONS = (type: Type): readonly string[] =>
  ['<', '<=', '>', '>=', '==', '!='].map((operator) => `(<${type}> ${operator} <${type}>)`);

const TEMPLATES: Readonly<Record<Type, readonly string[]>> = {
  bool: [
    ...['int', 'double', 'string', 'uint', 'duration', 'timestamp', 'bytes', 'bool'].flatMap((type) =>
      COMPARISONS(type as Type),
    ),
    '(<int> < <double>)',
    '(<uint> <= <int>)',
    '(<dyn> == <dyn>)',
    '(<dyn> == dyn(<int>))',
    '(<ints> == <ints>)',
    '(<map> == <map>)',
    '(<strings> != <strings>)',
    '(<bool> && <bool>)',
    '(<bool> || <bool>)',
    '!<bool>',
    '(<bool> ? <bool> : <bool>)',
    '(<int> in <ints>)',
    '(<string> in <strings>)',
    '(<string> in <map>)',
    '<string>.contains(<string>)',
    '<string>.startsWith(<string>)',
    '<string>.endsWith(<string>)',
    '<string>.matches("^[a-z]+$")',
    'matches(<string>, "l+")',
    '<ints>.all(x, <bool|x:int>)',
    '<ints>.exists(x, <bool|x:int>)',
    '<strings>.exists_one(y, <bool|y:string>)',
    '<map>.all(k, <bool|k:string>)',
    'self.lo.exists(e, e.n == <string>)',
    'self.lo.all(e, has(e.v) && e.v > <int>)',
    '<ints>.isSorted()',
    '<strings>.isSorted()',
    'isQuantity(<string>)',
    'isIP(<string>)',
    'isCIDR(<string>)',
    'isURL(<string>)',
    'sets.contains(<ints>, <ints>)',
    'sets.intersects(<strings>, <strings>)',
    'sets.equivalent(<ints>, <ints>)',
    'self.?gone.hasValue()',
    'optional.of(<int>).hasValue()',
    '(type(<dyn>) == type(<int>))',
    'bool(<string>)',
  ],
  bytes: ['(<bytes> + <bytes>)', 'bytes(<string>)'],
  double: [
    '(<double> + <double>)',
    '(<double> - <double>)',
    '(<double> * <double>)',
    '(<double> / <double>)',
    '-<double>',
    'double(<int>)',
    'double(<string>)',
    'double(<uint>)',
    '(<bool> ? <double> : <double>)',
    '[<double>, <double>].max()',
    'quantity("1500m").asApproximateFloat()',
  ],
  duration: [
    '(<duration> + <duration>)',
    '(<duration> - <duration>)',
    '(<timestamp> - <timestamp>)',
    'duration(<string>)',
    '[<duration>, <duration>].sum()',
  ],
  dyn: [
    'dyn(<int>)',
    'dyn(<string>)',
    'dyn(<double>)',
    'dyn(<ints>)',
    'dyn(<uint>)',
    '(<bool> ? dyn(<int>) : dyn(<string>))',
    '<dyn>.x',
    '<dyn>[0]',
    '(<dyn> + <dyn>)',
    '(<dyn> - dyn(<int>))',
    '-<dyn>',
    'dyn(<ints>).map(v, v)',
    'dyn(<map>).a',
    '<dyn>.size()',
    '(<dyn> < <dyn>)',
  ],
  int: [
    '(<int> + <int>)',
    '(<int> - <int>)',
    '(<int> * <int>)',
    '(<int> / <int>)',
    '(<int> % <int>)',
    '-<int>',
    'size(<string>)',
    '<string>.size()',
    '<ints>.size()',
    '<map>.size()',
    'size(<bytes>)',
    '<ints>[<int>]',
    '<map>[<string>]',
    '<map>.k',
    'int(<double>)',
    'int(<string>)',
    'int(<uint>)',
    'int(<duration>)',
    'int(<timestamp>)',
    '<string>.indexOf(<string>)',
    '<string>.indexOf(<string>, <int>)',
    '<string>.lastIndexOf(<string>)',
    '<ints>.indexOf(<int>)',
    '<ints>.lastIndexOf(<int>)',
    '<ints>.sum()',
    '<ints>.max()',
    '<ints>.min()',
    '<timestamp>.getFullYear()',
    '<timestamp>.getMonth()',
    '<timestamp>.getDayOfYear()',
    '<timestamp>.getDayOfMonth()',
    '<timestamp>.getDate()',
    '<timestamp>.getDayOfWeek()',
    '<timestamp>.getHours("America/New_York")',
    '<timestamp>.getMinutes("+05:45")',
    '<timestamp>.getMilliseconds()',
    '<duration>.getHours()',
    '<duration>.getSeconds()',
    '<duration>.getMilliseconds()',
    '(<bool> ? <int> : <int>)',
    'self.?o.p.orValue(<int>)',
    'self.lo[<int>].v',
    '<ints>.filter(x, <bool|x:int>).size()',
    'optional.ofNonZeroValue(<int>).orValue(<int>)',
    '<ints>[?<int>].orValue(<int>)',
    'sign(quantity(<string>))',
    'quantity(<string>).asInteger()',
    'quantity(<string>).compareTo(quantity("1k"))',
    'ip(<string>).family()',
  ],
  ints: [
    '(<ints> + <ints>)',
    '<ints>.map(x, <int|x:int>)',
    '<ints>.filter(x, <bool|x:int>)',
    '<ints>.map(x, <bool|x:int>, <int|x:int>)',
    '[<int>, <int>]',
    '(<bool> ? <ints> : <ints>)',
    '<strings>.map(y, size(y))',
  ],
  map: [
    '{<string>: <int>}',
    '{"a": <int>, "b": <int>}',
    '{?"a": optional.of(<int>)}',
    '(<bool> ? <map> : <map>)',
  ],
  string: [
    '(<string> + <string>)',
    'string(<int>)',
    'string(<double>)',
    'string(<bool>)',
    'string(<uint>)',
    'string(<duration>)',
    'string(<timestamp>)',
    'string(<bytes>)',
    '<string>.lowerAscii()',
    '<string>.upperAscii()',
    '<string>.trim()',
    '<string>.charAt(<int>)',
    '<string>.substring(<int>)',
    '<string>.substring(<int>, <int>)',
    '<string>.replace(<string>, <string>)',
    '<string>.replace(<string>, <string>, <int>)',
    '<strings>.join(<string>)',
    '<strings>.join()',
    '<string>.find("[a-z]+")',
    '<string>.findAll("[a-z]").join("|")',
    '<strings>[<int>]',
    '(<bool> ? <string> : <string>)',
    '"%s-%d".format([<string>, <int>])',
    '"%.3f|%e|%x|%X|%o|%b".format([<double>, <double>, <int>, <string>, <int>, <int>])',
    '"%s".format([<ints>])',
    '"%s".format([<map>])',
    '"%s".format([<strings>])',
    '"%s".format([<dyn>])',
    '"%d".format([<dyn>])',
    'strings.quote(<string>)',
    'self.?gone.orValue(<string>)',
    'optional.of(<string>).optMap(v, v + <string>).value()',
    'self.lo.map(e, e.n).join()',
    'string(type(<dyn>))',
    'string(ip(<string>))',
    'url("https://user@Example.com:8080/a%20b?x=1&x=2#f").getHost()',
    'url("https://[::1]:80/p").getHostname() + <string>',
    'url(<string>).getEscapedPath()',
  ],
  strings: [
    '<string>.split(<string>)',
    '<string>.split(<string>, <int>)',
    '(<strings> + <strings>)',
    '<strings>.map(y, <string|y:string>)',
    '<strings>.filter(y, <bool|y:string>)',
    '[<string>, <string>]',
    '<string>.findAll("[a-z]", <int>)',
    '<map>.map(k, k)',
  ],
  timestamp: [
    '(<timestamp> + <duration>)',
    '(<timestamp> - <duration>)',
    'timestamp(<string>)',
    'timestamp(<int>)',
  ],
  uint: [
    '(<uint> + <uint>)',
    '(<uint> - <uint>)',
    '(<uint> * <uint>)',
    '(<uint> / <uint>)',
    '(<uint> % <uint>)',
    'uint(<int>)',
    'uint(<double>)',
    'uint(<string>)',
  ],
};
