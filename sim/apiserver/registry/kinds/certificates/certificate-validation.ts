/** The rules of certificate signing requests. */
import { append } from '../../../../api/append.ts';
import { decodeBase64, encodeBase64 } from '../../../../api/codec/base64.ts';
import { firstPemBlock } from '../../../../api/certificates/pem.ts';
import { requestProblem } from '../../../../api/certificates/request-syntax.ts';
import { goBytes, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { CertificateSigningRequest } from '../../../../api/types/certificates-k8s-io-v1.ts';
import { noDuplicates, oneOf } from '../../../../api/validation/field-checks.ts';
import { duplicate, forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { signerNameErrors } from './signer-name.ts';

type Csr = CertificateSigningRequest;

const SPEC = FieldPath.of('spec');
const CONDITIONS = FieldPath.of('status', 'conditions');
const CERTIFICATE = FieldPath.of('status', 'certificate');
const MIN_SECONDS = 600;

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export function requestErrors({ spec }: Csr): FieldError[] {
  const errors: FieldError[] = [];
  const block = firstPemBlock(textOf(spec.request));
  const problem =
    block?.type === 'CERTIFICATE REQUEST'
      ? requestProblem(block.bytes)
      : 'PEM block type must be CERTIFICATE REQUEST';
  if (problem !== undefined) errors.push(invalid(SPEC.child('request'), bytesText(spec.request), problem));
  const usages = spec.usages ?? [];
  const path = SPEC.child('usages');
  if (usages.length === 0) errors.push(required(path));
  for (const [at, usage] of usages.entries()) append(errors, oneOf(usage, USAGES, path.index(at)));
  append(errors, [...noDuplicates(usages, path), ...signerErrors(spec.signerName, SPEC.child('signerName'))]);
  const seconds = spec.expirationSeconds;
  if (seconds !== undefined && seconds < MIN_SECONDS) {
    errors.push(
      invalid(
        SPEC.child('expirationSeconds'),
        seconds,
        `may not specify a duration less than ${MIN_SECONDS} seconds (10 minutes)`,
      ),
    );
  }
  return errors;
}

const signerErrors = (name: string, path: FieldPath): FieldError[] =>
  name === 'kubernetes.io/legacy-unknown'
    ? [invalid(path, name, 'the legacy signerName is not allowed via this API version')]
    : signerNameErrors(name, path);

export function statusErrors(
  object: Csr,
  old: Csr,
  { mayApprove }: { readonly mayApprove: boolean },
): FieldError[] {
  const errors = conditionErrors(object);
  for (const type of ['Approved', 'Denied', 'Failed']) {
    const isIn = ({ status }: Csr): boolean =>
      status?.conditions?.some((condition) => condition.type === type) ?? false;
    if (isIn(old) && !isIn(object))
      errors.push(forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`));
    if (!mayApprove && type !== 'Failed' && !isIn(old) && isIn(object)) {
      errors.push(forbidden(CONDITIONS, `updates may not add a condition of type "${type}"`));
    }
  }
  const [certificate, before] = [object.status?.certificate, old.status?.certificate];
  if (before && certificate !== before)
    errors.push(forbidden(CERTIFICATE, 'updates may not modify existing certificate content'));
  else if (certificate && firstPemBlock(textOf(certificate))?.type !== 'CERTIFICATE') {
    errors.push(
      invalid(CERTIFICATE, '<certificate data>', 'must contain at least one CERTIFICATE PEM block'),
    );
  }
  return errors;
}

const FINAL = ['Approved', 'Denied', 'Failed'];

function conditionErrors({ status }: Csr): FieldError[] {
  const seen = new Set<string>();
  return (status?.conditions ?? []).flatMap(({ type, status: value }, at) => {
    const path = CONDITIONS.index(at);
    const errors: FieldError[] = type ? [] : [required(path.child('type'))];
    const allowed = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (!value) errors.push(required(path.child('status')));
    else append(errors, oneOf(value, allowed, path.child('status')));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : '';
    if (other && seen.has(other))
      errors.push(invalid(path.child('type'), type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type)) errors.push(duplicate(path.child('type'), type));
    seen.add(type);
    return errors;
  });
}

const textOf = (base64: string | null | undefined): string =>
  base64 ? new TextDecoder().decode(decodeBase64(base64)) : '';

function bytesText(base64: string | null | undefined): GoSyntax {
  if (base64 === undefined || base64 === null) return new GoSyntax('[]byte(nil)', 'null');
  const bytes = decodeBase64(base64);
  return new GoSyntax(`[]byte{${goBytes(bytes)}}`, () => JSON.stringify(encodeBase64(bytes)));
}
