/** What Node's clients say of a call that failed, in the words of Go's. */
import type { HttpOutcome } from '../api/http-call.ts';

type Problem = Exclude<HttpOutcome, { kind: 'answer' }>;

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const UNREACHABLE: Readonly<Record<string, string>> = {
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
};
const UNKNOWN_HOST: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const CERTIFICATE = 'tls: failed to verify certificate: x509: ';

/** `phase`: the answer had begun. */
export function problemOf(error: unknown, phase?: 'body'): Problem {
  const facts = factsOf(error);
  const { code, address, port, hostname, message } = facts;
  const told = (text: string): Problem => ({
    kind: 'unreachable',
    message: text,
    ...(phase && { phase }),
  });
  // Nothing went out: whoever is there has surely not seen the call.
  if (code === 'ECONNREFUSED') return { kind: 'refused', ...(address !== '' && { address: dialled(facts) }) };
  if (phase && (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE'))
    return told('unexpected EOF');
  // The connection was there and broke: nobody knows.
  if (code === 'ECONNRESET' || code === 'EPIPE') return { kind: 'reset' };
  const way = UNREACHABLE[code];
  if (way !== undefined) return told(`dial tcp ${address}:${port}: connect: ${way}`);
  if (UNKNOWN_HOST.has(code)) return told(`dial tcp: lookup ${hostname}: no such host`);
  if (UNTRUSTED.has(code)) return told(`${CERTIFICATE}certificate signed by unknown authority`);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return told(`${CERTIFICATE}certificate has expired or is not yet valid`);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return told(`${CERTIFICATE}${otherName(facts)}`);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number/.test(message))
    return told('http: server gave HTTP response to HTTPS client');
  return told(message);
}

interface ErrorFacts {
  readonly code: string;
  readonly address: string;
  readonly port: string;
  readonly hostname: string;
  readonly host: string;
  readonly names: string;
  readonly commonName: string;
  readonly message: string;
}

const dialled = ({ address, port }: ErrorFacts): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** Where several addresses of a name were tried, the last of them. */
const lastOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors.at(-1) : error);

function factsOf(whole: unknown): ErrorFacts {
  const error = lastOf(whole);
  const text = (name: string, of: unknown = error): string => {
    const value = memberOf(of, name);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const certificate = memberOf(error, 'cert');
  return {
    code: text('code'),
    address: text('address'),
    port: text('port'),
    hostname: text('hostname'),
    host: text('host'),
    names: text('subjectaltname', certificate),
    commonName: text('CN', memberOf(certificate, 'subject')),
    message: error instanceof Error ? error.message : String(error),
  };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const IS_ADDRESS = /^[\d.]+$|:/;

/** Whose certificate it is instead. */
function otherName({ host, names, commonName }: ErrorFacts): string {
  if (names === '' && commonName === host)
    return 'certificate relies on legacy Common Name field, use SANs instead';
  const all = names.split(', ').filter((name) => name !== '');
  const ofKind = (prefix: string): readonly string[] =>
    all.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const isAddress = IS_ADDRESS.test(host);
  const offered = isAddress ? ofKind('IP Address:') : ofKind('DNS:');
  if (offered.length > 0) return `certificate is valid for ${offered.join(', ')}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}
