/** A certificate for one run of the server, on an elliptic curve so that it takes no time. */
import { generate } from 'selfsigned';
import type { TlsFiles } from './http-server.ts';

const VALID_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1_000;

export async function selfSignedCertificate(address: string): Promise<TlsFiles> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'kubesim' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'kubernetes.default.svc' },
          { type: 7, ip: '127.0.0.1' },
          ...(address === '127.0.0.1' ? [] : [{ type: 7 as const, ip: address }]),
        ],
      },
    ],
  });
  return { key, cert };
}
