/** Names of properties as expressions spell them: `x-dash` is `x__dash__dash`, `namespace` is `__namespace__`. */

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const UNESCAPES: Readonly<Record<string, string>> = {
  underscores: '__',
  dot: '.',
  dash: '-',
  slash: '/',
};

/** Undefined: no expression can name the property. */
export function escapedName(name: string): string | undefined {
  if (name === '' || /^[0-9]/.test(name) || /[^a-zA-Z0-9_./-]/.test(name)) return undefined;
  if (KEYWORDS.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}

const known = new Map<string, string | undefined>();
const MOST_KNOWN = 10_000;

/** Undefined: it is the spelling of no property. */
export function unescapedName(spelt: string): string | undefined {
  if (!spelt.includes('__')) return spelt;
  if (known.has(spelt)) return known.get(spelt);
  if (known.size >= MOST_KNOWN) known.clear();
  const name = unescaped(spelt);
  known.set(spelt, name);
  return name;
}

function unescaped(spelt: string): string | undefined {
  let isWrong = false;
  const name = spelt.replace(/__([^_]+)__/g, (part, word: string) => {
    const known = Object.hasOwn(UNESCAPES, word) ? UNESCAPES[word] : undefined;
    if (known !== undefined) return known;
    if (!KEYWORDS.has(word) || part.length !== spelt.length) isWrong = true;
    return word;
  });
  return isWrong ? undefined : name;
}
