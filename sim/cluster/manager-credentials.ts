/** What the controller managers of a simulated cluster are given, unless somebody says otherwise. */
import { accountToken } from '../apiserver/authentication/account-token.ts';
import type { ManagerCredentials } from '../controllers/manager/credentials.ts';

/** A certificate authority whose key nobody has: nothing in a simulated network is encrypted. */
const ROOT_CERTIFICATE = `-----BEGIN CERTIFICATE-----
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

export const managerCredentials = (rootCertificate = ROOT_CERTIFICATE): ManagerCredentials => ({
  rootCertificate,
  accountToken,
});
