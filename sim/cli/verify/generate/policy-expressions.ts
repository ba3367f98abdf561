/** Expressions of admission policies: what is asked of the request, the object, its parameters and whoever asks. */
import type { Random } from './random.ts';

/** What stands for `<text>`, `<number>`, `<truth>` and `<any>` in a template; some are of the wrong type, or missing. */
const TEXTS = [
  ...["'a'", "'x-1'", "''", 'object.metadata.name', 'object.metadata.?generateName.orValue("g")'],
  ...['request.operation', 'request.name', 'request.namespace', 'request.userInfo.username'],
  ...['request.resource.resource', 'request.kind.kind', 'request.requestKind.version', 'request.subResource'],
  ...['namespaceObject.metadata.name.substring(0, 7)', 'object.data.x', 'oldObject.data.x', 'params.data.k'],
  ...[
    'object.metadata.labels.app',
    'params.metadata.name',
    'variables.t',
    'object.kind',
    'object.apiVersion',
  ],
  ...[
    'string(object.metadata.labels.size())',
    'object.data[params.data.k]',
    "object.data.?x.orValue('none')",
  ],
  ...[
    "'%s-%d'.format([object.metadata.name, 3])",
    "object.metadata.name.replace('x', 'y')",
    'string(request.dryRun)',
  ],
  ...['object.metadata.labels.map(k, k)[0]', 'oldObject.metadata.name.upperAscii()', 'request.options.kind'],
];
const NUMBERS = [
  ...[
    '0',
    '1',
    '3',
    '-1',
    'size(object.metadata.name)',
    'object.data.size()',
    'variables.n',
    'int(params.data.n)',
  ],
  ...[
    'object.metadata.labels.size()',
    'size(request.userInfo.groups)',
    'object.spec.replicas',
    'int(object.data.x)',
  ],
  ...[
    'object.metadata.generation',
    'size(object.data)',
    'params.data.size()',
    'size(namespaceObject.metadata.labels)',
  ],
  ...[
    "int('12') / 0",
    'object.data.map(k, size(k))[0]',
    'object.metadata.labels.filter(k, k == "app").size()',
  ],
];
const TRUTHS = [
  ...['true', 'false', 'has(object.data)', 'has(object.data.x)', 'has(oldObject.data)', 'oldObject == null'],
  ...[
    'object != null',
    'variables.b',
    'request.dryRun',
    'params == null',
    'has(params.data)',
    'params != null',
  ],
  ...[
    'has(object.metadata.labels) && "app" in object.metadata.labels',
    'has(object.spec)',
    'has(request.options)',
  ],
  ...["'system:masters' in request.userInfo.groups", 'object.data.all(k, k.size() < 3)', 'object.immutable'],
  ...[
    "object.data.exists(k, object.data[k] == 'no')",
    'has(object.metadata.managedFields)',
    'object.metadata.uid',
  ],
  ...["authorizer.group('').resource('pods').namespace(request.namespace).check('create').allowed()"],
  ...[
    "authorizer.path('/healthz').check('get').allowed()",
    "authorizer.requestResource.check('approve').allowed()",
  ],
  ...[
    "authorizer.serviceAccount('default', 'a').group('apps').resource('deployments').check('list').reason() == ''",
  ],
  ...["authorizer.group('').resource('configmaps').subresource('x').name('y').check('get').errored()"],
];
const TEMPLATES = [
  ...['<truth>', '<truth>', '<text> == <text>', '<number> < <number>', '<number> <= <number>', '!(<truth>)'],
  ...['<truth> && <truth>', '<truth> || <truth>', '<truth> ? <truth> : <truth>', '<text>.startsWith(<text>)'],
  ...['<text> in [<text>, <text>]', "<text>.matches('^[a-z]+$')", '<number> + <number> > <number>'],
  ...['[<number>, <number>].exists(n, n > <number>)', '<text>.size() <= <number>', '<text>.contains(<text>)'],
  ...["object.metadata.?labels[?'app'].orValue(<text>) == <text>", 'cel.bind(v, <text>, v == v + "")'],
  ...["quantity('1').isLessThan(quantity(string(<number>)))", 'size(<text>.split("-")) > <number>'],
  ...[
    'object.metadata.name in object.data',
    '<text> != <number>',
    '<text> + <number> == ""',
    '<truth> == <text>',
  ],
  ...[
    'type(<number>) == int',
    'format.dns1123Label().validate(<text>).hasValue()',
    'isURL(<text>)',
    'nothing(<text>)',
  ],
  ...[
    'object.data.nothing',
    'object.nothing == 1',
    'request.nothing',
    'variables.nothing',
    'params.data',
    '<text> <',
  ],
  ...[
    "ip('10.0.0.1').family() == <number>",
    'sets.contains([<text>], [<text>])',
    'timestamp(<text>) == null',
    '',
  ],
];

const LISTS: Readonly<Record<string, readonly string[]>> = { text: TEXTS, number: NUMBERS, truth: TRUTHS };

const filled = (template: string, random: Random): string =>
  template.replace(/<(text|number|truth)>/g, (_hole, kind: string) => random.pick(LISTS[kind] ?? TEXTS));

export const drawTruth = (random: Random): string => filled(random.pick(TEMPLATES), random);

/** Of a message or an annotation: text, or by mistake something else. */
export const drawText = (random: Random): string => {
  const dice = random.below(10);
  if (dice === 0) return random.pick(NUMBERS);
  if (dice === 1) return "has(object.data) ? null : 'none'";
  if (dice < 4) return filled("<text> + ' is ' + <text>", random);
  return dice < 6 ? filled("'%s:%s'.format([<text>, <number>])", random) : random.pick(TEXTS);
};

/** A composed variable, by the type that its name stands for. */
export const drawVariable = (name: string, random: Random): string => {
  if (random.chance(10)) return drawTruth(random);
  if (name === 'b') return random.pick(TRUTHS);
  return random.pick(name === 'n' ? NUMBERS : TEXTS);
};
