/** What the controller managers of a simulated cluster are given, unless somebody says otherwise. */
import type { Signer } from '../api/certificates/certificate.ts';
import { integer, sequence } from '../api/certificates/der.ts';
import { accountToken } from '../apiserver/authentication/account-token.ts';
import type { ManagerCredentials } from '../controllers/manager/credentials.ts';

/** A certificate authority whose key nobody has: nothing in a simulated network is encrypted. */
export const ROOT_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkTCCATegAwIBAgIUGbZR7ffKDcIFZjZop62kZuyJez8wCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMjIxMDM5MTBaGA8yMTI2MTAy
OTEwMzkxMFowFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABOafN9oCxTJZChva0FU6KeZZkZxFcSRVFEmqRuHpTgrSu7dJVSfr
6KtBBHvkxJf0gCPViQwcT8nV2l4H/3HI7nejYzBhMB0GA1UdDgQWBBQhUbSnTCrj
DCB3/CgpLQO23IyGGjAfBgNVHSMEGDAWgBQhUbSnTCrjDCB3/CgpLQO23IyGGjAP
BgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwICpDAKBggqhkjOPQQDAgNIADBF
AiEA1yX1TZUC/HLuOZJbG7OS6HA/z8orZahciD4aMUY62HQCIFWUfRpY11xRfFck
IzpFx1POp6EbEzSKBrf5Mbhzvgdu
-----END CERTIFICATE-----
`;

/**
 * What has the form of a signature, and is the same for the same bytes. It verifies with no key, as nobody has the one of
 * the authority.
 */
function seal(bytes: Uint8Array): Uint8Array {
  const halves = [0x811c9dc5, 0x9e3779b9].map((start) => {
    const half = new Uint8Array(32);
    let state = start;
    for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193);
    for (let at = 0; at < half.length; at++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at;
      half[at] = (state >>> 16) & 0x7f;
    }
    return integer(half);
  });
  return sequence(...halves);
}

const SIMULATED: Signer = { certificate: ROOT_CERTIFICATE, sign: seal };

export const managerCredentials = ({
  rootCertificate = ROOT_CERTIFICATE,
  signer = SIMULATED,
}: Partial<Pick<ManagerCredentials, 'rootCertificate' | 'signer'>> = {}): ManagerCredentials => ({
  rootCertificate,
  signer,
  accountToken,
});
