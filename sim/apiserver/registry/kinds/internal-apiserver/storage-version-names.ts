/** How resources and versions are named where API servers say what they store. */
import {
  dns1035Label,
  dns1123Subdomain,
  type NameFindings,
  regexFinding,
} from '../../../../api/validation/names.ts';

const API_VERSION = `${regexFinding(
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

const EMPTY = 'must be non-empty';

/** All that is wrong with it, in one text; undefined: nothing. */
export function apiVersionProblem(text: string): string | undefined {
  const parts = text.split('/');
  if (parts.length > 2) return API_VERSION;
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? parts[0] : undefined;
  const findings = [
    ...partFindings('group part: ', group, dns1123Subdomain),
    ...partFindings('version part: ', version, dns1035Label),
  ];
  return findings.length === 0 ? undefined : findings.join(',');
}

function partFindings(
  prefix: string,
  part: string | undefined,
  check: (text: string) => NameFindings,
): readonly string[] {
  if (part === undefined) return [];
  return (part === '' ? [EMPTY] : check(part)).map((finding) => prefix + finding);
}

/** `<group>.<resource>`. */
export function groupResourceName(name: string): NameFindings {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((finding) => `the group segment ${finding}`),
    ...dns1035Label(name.slice(dot + 1)).map((finding) => `the resource segment ${finding}`),
  ];
}
