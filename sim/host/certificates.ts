/**
 * The certificates of one run of the server: an authority, the server's own, and those of users. On an elliptic curve, so
 * that they take no time; but keys of users are such as real clusters hand out, since not every client reads others (Java's
 * lack a library for curves). The server's is no authority, and says for which names and for what use it is: strict
 * clients take no other.
 */
import { createSign, generateKeyPair, randomBytes, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { generate, type SelfsignedOptions } from 'selfsigned';
import { certificateFor, type Signer } from '../api/certificates/certificate.ts';
import { element, identifier, sequence, TAG } from '../api/certificates/der.ts';
import type { TlsFiles } from './http-server.ts';

const VALID_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1_000;

const NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
] as const;
/** Of the loopback, and of the service `kubernetes`. */
const ADDRESSES = ['127.0.0.1', '::1', '10.96.0.1'] as const;
const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export type User = { readonly name: string; readonly groups: readonly string[] };

export interface UserKey {
  /** DER. */
  readonly publicKey: Buffer;
  /** PEM. */
  readonly privateKey: string;
}

/** Takes a fifth of a second; other things may be done meanwhile. */
export const makeUserKey = (): Promise<UserKey> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });

export class Authority {
  readonly #own: Certificate;

  private constructor(own: Certificate) {
    this.#own = own;
  }

  static async create(purpose = 'ca'): Promise<Authority> {
    return new Authority(
      // A name of its own: whoever knows several authorities tells them apart by it.
      await made([{ name: 'commonName', value: `kubesim-${purpose}@${randomUUID()}` }], {
        extensions: [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'keyUsage', digitalSignature: true, keyCertSign: true, cRLSign: true, critical: true },
        ],
      }),
    );
  }

  /** What clients trust, in PEM. */
  get certificate(): string {
    return this.#own.cert;
  }

  /** Of what certificate requests ask for. */
  get signer(): Signer {
    const { cert, key } = this.#own;
    return {
      certificate: cert,
      sign: (bytes) => new Uint8Array(createSign('sha256').update(bytes).sign(key)),
    };
  }

  /** For the loopback and all of these names and addresses. */
  serverCertificate(hosts: readonly string[]): Promise<TlsFiles> {
    const all = new Set([...NAMES, ...ADDRESSES, ...hosts.filter((host) => !UNSPECIFIED.has(host))]);
    const altNames = [...all].map((host) =>
      isIP(host) === 0 ? { type: 2 as const, value: host } : { type: 7 as const, ip: host },
    );
    return made([{ name: 'commonName', value: 'kube-apiserver' }], {
      ca: this.#own,
      extensions: [...SERVER_USE, { name: 'subjectAltName', altNames }],
    });
  }

  /** Says who somebody is: common name and organizations. */
  async userCertificate({ name, groups }: User, key = makeUserKey()): Promise<Certificate> {
    const { publicKey, privateKey } = await key;
    const now = Date.now();
    const terms = {
      usages: ['digital signature', 'client auth'],
      notBeforeMs: now - DAY_MS,
      notAfterMs: now + VALID_DAYS * DAY_MS,
      serialNumber: randomBytes(SERIAL_BYTES),
    };
    const subject = sequence(
      ...groups.map((group) => partOfName(ORGANIZATION, group)),
      partOfName(COMMON_NAME, name),
    );
    return { cert: certificateFor({ subject, publicKey }, terms, this.signer), key: privateKey };
  }
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const SERIAL_BYTES = 16;

const partOfName = (type: string, value: string): Uint8Array =>
  element(TAG.set, sequence(identifier(type), element(TAG.utf8Text, Buffer.from(value))));

type Extensions = NonNullable<SelfsignedOptions['extensions']>;

const SERVER_USE: Extensions = [
  { name: 'basicConstraints', cA: false, critical: true },
  { name: 'keyUsage', digitalSignature: true, critical: true },
  { name: 'extKeyUsage', serverAuth: true },
];

async function made(
  subject: readonly { readonly name: string; readonly value: string }[],
  options: Pick<SelfsignedOptions, 'extensions' | 'ca'>,
): Promise<Certificate> {
  const now = Date.now();
  const { private: key, cert } = await generate([...subject], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + VALID_DAYS * DAY_MS),
    ...options,
  });
  return { key, cert };
}
