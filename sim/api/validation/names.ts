/**
 * The shapes of names in the API. Every check returns the server's messages, none for a good name;
 * lengths are bytes. Specification: "Common object metadata".
 */

import { goLength } from '../go-text.ts';

/** What is wrong with a text; empty if nothing is. */
export type NameFindings = readonly string[];

/** A check of names; `isPrefix` for generateName, whose end is not the name's end. */
export type NameCheck = (name: string, isPrefix?: boolean) => NameFindings;

const FINE: NameFindings = [];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const WILDCARD_SUBDOMAIN = `\\*\\.${SUBDOMAIN}`;
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const ENV_VAR = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const HTTP_HEADER = '[-A-Za-z0-9]+';
const PERCENT = '[0-9]+%';

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

const SUBDOMAIN_REGEX = whole(SUBDOMAIN);
const QUALIFIED_REGEX = whole(QUALIFIED);
// Matching the optional group first would backtrack over long values; the two cases are told apart instead.
const isLabelText = (value: string): boolean => value === '' || QUALIFIED_REGEX.test(value);

/** `rule (e.g. 'x',  or 'y', regex used for validation is 'z')`. */
export const regexFinding = (rule: string, pattern: string, ...examples: readonly string[]): string => {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`;
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
};

export const maxLengthFinding = (length: number): string => `must be no more than ${length} characters`;

export const rangeFinding = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`;

const SUBDOMAIN_FINDING = regexFinding(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  'example.com',
);
const LABEL_FINDING = regexFinding(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  'my-name',
  '123-abc',
);
const DNS_1035_FINDING = regexFinding(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  DNS_1035,
  'my-name',
  'abc-123',
);
const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_FINDING = regexFinding(QUALIFIED_RULE, QUALIFIED, 'MyName', 'my.name', '123-abc');
const LABEL_VALUE_FINDING = regexFinding(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);

/** At most `maxBytes` long and of the pattern. */
const shaped = (name: string, maxBytes: number, regex: RegExp, finding: string): NameFindings => {
  const isTooLong = name.length * 3 > maxBytes && goLength(name) > maxBytes;
  if (regex.test(name)) return isTooLong ? [maxLengthFinding(maxBytes)] : FINE;
  return isTooLong ? [maxLengthFinding(maxBytes), finding] : [finding];
};

export const dns1123Subdomain = (name: string): NameFindings =>
  shaped(name, 253, SUBDOMAIN_REGEX, SUBDOMAIN_FINDING);

const LABEL_REGEX = whole(LABEL);

export const dns1123Label = (name: string): NameFindings => {
  const hasDotsOnly = !LABEL_REGEX.test(name) && SUBDOMAIN_REGEX.test(name);
  return shaped(name, 63, LABEL_REGEX, hasDotsOnly ? 'must not contain dots' : LABEL_FINDING);
};

const DNS_1035_REGEX = whole(DNS_1035);

export const dns1035Label = (name: string): NameFindings =>
  shaped(name, 63, DNS_1035_REGEX, DNS_1035_FINDING);

const WILDCARD_REGEX = whole(WILDCARD_SUBDOMAIN);

export const wildcardDns1123Subdomain = (name: string): NameFindings =>
  shaped(
    name,
    253,
    WILDCARD_REGEX,
    regexFinding(
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
      WILDCARD_SUBDOMAIN,
      '*.example.com',
    ),
  );

/** Label and annotation keys, finalizers, resource names: `name` or `dns.prefix/name`. */
export const qualifiedName = (text: string): NameFindings => {
  const slash = text.indexOf('/');
  if (slash === -1) return namePart(text);
  if (text.includes('/', slash + 1)) {
    return [
      `a qualified name ${QUALIFIED_FINDING} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = text.slice(0, slash);
  const ofPrefix = prefix === '' ? ['must be non-empty'] : dns1123Subdomain(prefix);
  const ofName = namePart(text.slice(slash + 1));
  return ofPrefix.length === 0 ? ofName : [...ofPrefix.map((finding) => `prefix part ${finding}`), ...ofName];
};

const namePart = (name: string): NameFindings => {
  if (name === '') return ['name part must be non-empty', `name part ${QUALIFIED_FINDING}`];
  const findings = shaped(name, 63, QUALIFIED_REGEX, QUALIFIED_FINDING);
  return findings.length === 0 ? FINE : findings.map((finding) => `name part ${finding}`);
};

export const labelValue = (value: string): NameFindings => {
  const isTooLong = value.length > 21 && goLength(value) > 63;
  if (isLabelText(value)) return isTooLong ? [maxLengthFinding(63)] : FINE;
  return isTooLong ? [maxLengthFinding(63), LABEL_VALUE_FINDING] : [LABEL_VALUE_FINDING];
};

/** A name that can stand in a URL's path: no `.`, `..`, `/` or `%`. A prefix may be dots. */
export const pathSegmentName: NameCheck = (name, isPrefix = false) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  const illegal = ['/', '%'].filter((character) => name.includes(character));
  return illegal.length === 0 ? FINE : illegal.map((character) => `may not contain '${character}'`);
};

/** A dash at the end of a prefix is followed by more: it is checked as if a letter stood there. */
export const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

const asName =
  (check: (name: string) => NameFindings): NameCheck =>
  (name, isPrefix = false) =>
    check(isPrefix ? maskTrailingDash(name) : name);

/** Names of most kinds. */
export const nameIsDnsSubdomain = asName(dns1123Subdomain);
/** Names of namespaces, for one. */
export const nameIsDnsLabel = asName(dns1123Label);
/** Names of services. */
export const nameIsDns1035Label = asName(dns1035Label);

const PORT_NAME = /^[-a-z0-9]+$/;

export const portName = (port: string): NameFindings => {
  const findings: string[] = [];
  if (goLength(port) > 15) findings.push(maxLengthFinding(15));
  if (!PORT_NAME.test(port))
    findings.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(port)) findings.push('must contain at least one letter (a-z)');
  if (port.includes('--')) findings.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) findings.push('must not begin or end with a hyphen');
  return findings;
};

export const portNumber = (port: number): NameFindings =>
  port >= 1 && port <= 65535 ? FINE : [rangeFinding(1, 65535)];

const C_IDENTIFIER_REGEX = whole(C_IDENTIFIER);

export const cIdentifier = (name: string): NameFindings =>
  C_IDENTIFIER_REGEX.test(name)
    ? FINE
    : [
        regexFinding(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          C_IDENTIFIER,
          'my_name',
          'MY_NAME',
          'MyName',
        ),
      ];

/** A key or variable becomes a file's name: it must not lead out of its directory. */
const pathFindings = (name: string): NameFindings => {
  if (name === '.') return ["must not be '.'"];
  if (name === '..') return ["must not be '..'"];
  return name.startsWith('..') ? ["must not start with '..'"] : FINE;
};

const ENV_VAR_REGEX = whole(ENV_VAR);

export const relaxedEnvVarName = (name: string): NameFindings =>
  /^[ -<>-~]+$/.test(name)
    ? FINE
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

export const envVarName = (name: string): NameFindings => {
  const finding = ENV_VAR_REGEX.test(name)
    ? FINE
    : [
        regexFinding(
          "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
          ENV_VAR,
          'my.env-name',
          'MY_ENV.NAME',
          'MyEnvName1',
        ),
      ];
  return [...finding, ...pathFindings(name)];
};

const CONFIG_KEY_REGEX = whole(CONFIG_KEY);

/** Keys of ConfigMaps and Secrets. */
export const configMapKey = (key: string): NameFindings => {
  const findings = shaped(
    key,
    253,
    CONFIG_KEY_REGEX,
    regexFinding(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      CONFIG_KEY,
      'key.name',
      'KEY_NAME',
      'key-name',
    ),
  );
  const ofPath = pathFindings(key);
  return ofPath.length === 0 ? findings : [...findings, ...ofPath];
};

const HTTP_HEADER_REGEX = whole(HTTP_HEADER);

export const httpHeaderName = (name: string): NameFindings =>
  HTTP_HEADER_REGEX.test(name)
    ? FINE
    : [
        regexFinding(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          HTTP_HEADER,
          'X-Header-Name',
        ),
      ];

const PERCENT_REGEX = whole(PERCENT);

export const percent = (text: string): NameFindings =>
  PERCENT_REGEX.test(text)
    ? FINE
    : [
        regexFinding(
          "a valid percent string must be a numeric string followed by an ending '%'",
          PERCENT,
          '1%',
          '93%',
        ),
      ];
