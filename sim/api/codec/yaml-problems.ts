/** What Go's YAML parser refuses, and the library here would take. In Go's words; undefined: there is no such thing. */

/** Blank lines and comments before a directive or the end of a document. */
const HEAD = /^(?: *(?:#.*)?\n)*(?:%(\S*)(?:[ \t]+(\S+))?|\.\.\.(?=\s|$))/;

/** Nothing but blanks and comments, and then a tab where something could begin. */
const TAB = /^(?: *(?:#.*)?\n)* *\t/;

export const problemOfHead = (text: string): string | undefined => {
  const [before] = TAB.exec(text) ?? [];
  if (before !== undefined) return misplacedTab(before.split('\n').length);
  const [all, directive, version] = HEAD.exec(text) ?? [];
  if (all === undefined) return undefined;
  if (directive === undefined) return 'yaml: did not find expected node content';
  if (directive === 'YAML') return version === '1.1' ? undefined : 'yaml: found incompatible YAML document';
  return directive === 'TAG' ? undefined : 'yaml: found unknown directive name';
};

const misplacedTab = (line: number): string =>
  `yaml: ${line > 1 ? `line ${line}: ` : ''}found character that cannot start any token`;

/** Halves of a character, of which it takes none. */
const ESCAPED_SURROGATE = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

export const problemOfEscapes = (text: string): string | undefined => {
  const at = text.includes('"') ? text.search(ESCAPED_SURROGATE) : -1;
  if (at < 0) return undefined;
  const lines = text.slice(0, at).split('\n').length;
  return `yaml: ${lines > 1 ? `line ${lines}: ` : ''}found invalid Unicode character escape code`;
};
