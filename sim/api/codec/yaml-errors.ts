/**
 * Syntax errors of YAML in the words and with the lines of Go's parser. The library that reads YAML
 * finds the same errors, but says other things about other places; this table translates.
 * Go's scanner counts lines from one and its parser from zero, and neither names the first line.
 */

/** An error as the library gives it. */
export interface SyntaxError {
  readonly code: string;
  readonly message: string;
  /** Offset in the text. */
  readonly at: number;
}

interface Finding {
  readonly words: string;
  /** The line as Go prints it; 0: it prints none. */
  readonly line: number;
}

interface Rule {
  readonly code: string;
  readonly message?: RegExp;
  readonly find: (text: string, at: number) => Finding;
}

const linesBefore = (text: string, at: number): number => text.slice(0, at).split('\n').length - 1;

const byScanner = (words: string, text: string, at: number): Finding => {
  const line = linesBefore(text, at);
  return { words, line: line === 0 ? 0 : line + 1 };
};

const byParser = (words: string, text: string, at: number): Finding => ({
  words,
  line: linesBefore(text, at),
});

const scanner =
  (words: string) =>
  (text: string, at: number): Finding =>
    byScanner(words, text, at);

const parser =
  (words: string) =>
  (text: string, at: number): Finding =>
    byParser(words, text, at);

/** Where the next `:` stands that makes a mapping of what is before it. */
const mappingColonAfter = (text: string, at: number): number => {
  const found = text.slice(at).search(/:(?=\s|$)/);
  return found < 0 ? at : at + found;
};

const misplacedValue = (text: string, at: number): Finding =>
  text[at] === '?'
    ? byScanner('mapping keys are not allowed in this context', text, at)
    : byScanner('mapping values are not allowed in this context', text, mappingColonAfter(text, at));

const EXPECTED_KEY = 'did not find expected key';
const EXPECTED_CONTENT = 'did not find expected node content';
const EXPECTED_DASH = "did not find expected '-' indicator";

const unclosedFlow =
  (closing: ']' | '}') =>
  (text: string, at: number): Finding => {
    const before = text.slice(0, at).trimEnd();
    const words = /[[{,]$/.test(before) ? EXPECTED_CONTENT : `did not find expected ',' or '${closing}'`;
    const isClosedLater = /[\]}]/.test(text.slice(at));
    if (isClosedLater) return byParser(words, text, at);
    // The end of the text counts as the line after the last.
    return byParser(words, text.endsWith('\n') ? text : `${text}\n`, text.length + 1);
  };

const lineBefore = (text: string, at: number): string => text.slice(0, at).trimEnd().split('\n').at(-1) ?? '';

const badIndent = (text: string, at: number): Finding =>
  byParser(/^\s*-\s/.test(lineBefore(text, at)) ? EXPECTED_DASH : EXPECTED_KEY, text, at);

const strayTab = (text: string, at: number): Finding => {
  const before = lineBefore(text, at);
  const isNewBlock = before === '' || before.endsWith(':');
  return byScanner(
    isNewBlock
      ? 'found character that cannot start any token'
      : 'found a tab character that violates indentation',
    text,
    at,
  );
};

/** Go looks for the colon on the line that follows. */
const missingColon = (text: string, at: number): Finding => ({
  words: "could not find expected ':'",
  line: linesBefore(text, at) + 2,
});

/** `\x41`, `\u0041`, `\U00000041`. */
const badEscape = (text: string, at: number): Finding =>
  byScanner(
    /^\\[xuU]/.test(text.slice(at))
      ? 'did not find expected hexdecimal number'
      : 'found unknown escape character',
    text,
    at,
  );

const RULES: readonly Rule[] = [
  {
    code: 'UNEXPECTED_TOKEN',
    message: /block-seq-ind/,
    find: scanner('block sequence entries are not allowed in this context'),
  },
  {
    code: 'UNEXPECTED_TOKEN',
    message: /Block scalar header/,
    find: scanner('did not find expected comment or line break'),
  },
  { code: 'UNEXPECTED_TOKEN', message: /in flow |YAML document/, find: parser(EXPECTED_CONTENT) },
  {
    code: 'UNEXPECTED_TOKEN',
    message: /YAML stream/,
    find: (text, at) =>
      byParser(at === 0 || text[at - 1] === '\n' ? EXPECTED_KEY : EXPECTED_CONTENT, text, at),
  },
  {
    code: 'UNEXPECTED_TOKEN',
    find: (text, at) => {
      if (text[at - 1] !== '\n' || !/^-\s/.test(text)) return byParser(EXPECTED_KEY, text, at);
      const isKey = /^[^\n]*:(?:\s|$)/.test(text.slice(at));
      return isKey ? byParser(EXPECTED_DASH, text, at) : missingColon(text, at);
    },
  },
  { code: 'BLOCK_AS_IMPLICIT_KEY', find: misplacedValue },
  { code: 'MULTILINE_IMPLICIT_KEY', message: /flow sequence/, find: unclosedFlow(']') },
  {
    code: 'MULTILINE_IMPLICIT_KEY',
    find: (text, at) => (text[at] === '-' ? byParser(EXPECTED_KEY, text, at) : misplacedValue(text, at)),
  },
  { code: 'MISSING_CHAR', message: /quote/, find: scanner('found unexpected end of stream') },
  {
    code: 'MISSING_CHAR',
    message: /followed by map values/,
    find: missingColon,
  },
  { code: 'MISSING_CHAR', message: /Flow sequence/, find: unclosedFlow(']') },
  { code: 'MISSING_CHAR', message: /Flow map/, find: unclosedFlow('}') },
  { code: 'MISSING_CHAR', message: /directives-end/, find: parser('did not find expected <document start>') },
  { code: 'BAD_INDENT', message: /Flow sequence/, find: unclosedFlow(']') },
  { code: 'BAD_INDENT', message: /Flow map/, find: unclosedFlow('}') },
  { code: 'BAD_INDENT', find: badIndent },
  { code: 'BAD_SCALAR_START', find: scanner('found character that cannot start any token') },
  { code: 'TAB_AS_INDENT', find: strayTab },
  {
    code: 'KEY_OVER_1024_CHARS',
    message: /flow sequence/,
    find: parser("did not find expected ',' or ']'"),
  },
  { code: 'KEY_OVER_1024_CHARS', find: scanner('mapping values are not allowed in this context') },
  { code: 'BAD_DQ_ESCAPE', find: badEscape },
  { code: 'BAD_ALIAS', find: scanner('did not find expected alphabetic or numeric character') },
  { code: 'TAG_RESOLVE_FAILED', message: /Verbatim/, find: scanner("did not find the expected '>'") },
];

/** Of a key that is too long to be one. */
export const longKeyMessage = (text: string, at: number, isFlow: boolean): string =>
  told(
    isFlow
      ? byParser("did not find expected ',' or '}'", text, at)
      : byScanner('mapping values are not allowed in this context', text, at),
  );

/** Go does not mind a tag that means nothing. */
export const isTolerated = ({ code, message }: SyntaxError): boolean =>
  code === 'TAG_RESOLVE_FAILED' && !message.includes('Verbatim');

/** `yaml: line 2: did not find expected key` */
export const yamlErrorMessage = ({ code, message, at }: SyntaxError, text: string): string => {
  const rule = RULES.find((row) => row.code === code && (!row.message || row.message.test(message)));
  return told(rule ? rule.find(text, at) : byParser(EXPECTED_KEY, text, at));
};

const told = ({ words, line }: Finding): string =>
  line === 0 ? `yaml: ${words}` : `yaml: line ${line}: ${words}`;
