import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { Authority } from '../../host/certificates.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { nextStatus } from './certificate-signing.ts';
import { NODE_REQUEST, SERVING_REQUEST, USER_REQUEST } from './requests.fixture.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client';
const SIGNING = 'controller/certificatesigningrequest-signing-controller';

function begin(seed = 1): Cluster {
  const cluster = createCluster({ settled: true, authorizationMode: 'RBAC', seed });
  cluster.advance(seconds(1));
  return cluster;
}

function ask(cluster: Cluster, spec: object = {}): void {
  cluster.client.certificateSigningRequests.create({
    metadata: { name: 'a' },
    spec: { request: USER_REQUEST, signerName: CLIENT, usages: ['client auth'], ...spec },
  });
}

const requestOf = (cluster: Cluster) => cluster.client.certificateSigningRequests.get('a');

function approve(cluster: Cluster): void {
  const request = requestOf(cluster);
  cluster.client.certificateSigningRequests.update(
    { ...request, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Mine' }] } },
    { subresource: 'approval' },
  );
  cluster.advance(seconds(1));
}

const certificateOf = (cluster: Cluster): X509Certificate =>
  new X509Certificate(atob(requestOf(cluster).status?.certificate ?? ''));

describe('the signer', () => {
  it('waits for an approval, and makes a certificate for as long as was asked', () => {
    const cluster = begin();
    ask(cluster, { expirationSeconds: 3_600 });
    cluster.advance(seconds(5));
    expect(requestOf(cluster).status).toEqual({});
    approve(cluster);
    const certificate = certificateOf(cluster);
    expect(certificate.subject).toBe('O=devs\nCN=jane');
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(3_900_000);
  });

  it('makes the same of the same seed, and other numbers of others', () => {
    const numbers = [7, 7, 8].map((seed) => {
      const cluster = begin(seed);
      ask(cluster);
      approve(cluster);
      return certificateOf(cluster).serialNumber;
    });
    expect(numbers[0]).toBe(numbers[1]);
    expect(numbers[0]).not.toBe(numbers[2]);
  });

  it.each([
    [CLIENT, USER_REQUEST, ['server auth'], 'invalid usage for client certificate: server auth'],
    [
      CLIENT,
      USER_REQUEST,
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    [
      'kubernetes.io/kubelet-serving',
      USER_REQUEST,
      ['server auth'],
      'subject organization is not system:nodes',
    ],
    ['kubernetes.io/kubelet-serving', NODE_REQUEST, ['server auth'], 'DNS or IP subjectAltName is required'],
    [
      'kubernetes.io/kubelet-serving',
      SERVING_REQUEST,
      ['server auth'],
      'usages did not match [digital signature key encipherment server auth]',
    ],
  ])('refuses for %s what breaks its rules', (signerName, request, usages, message) => {
    const cluster = begin();
    ask(cluster, { signerName, request, usages });
    approve(cluster);
    expect(requestOf(cluster).status?.conditions).toMatchObject([
      { type: 'Approved' },
      { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message },
    ]);
  });

  it('signs what agents serve with, and leaves alone what others sign', () => {
    const cluster = begin();
    ask(cluster, {
      signerName: 'kubernetes.io/kubelet-serving',
      request: SERVING_REQUEST,
      usages: ['server auth', 'digital signature'],
    });
    approve(cluster);
    expect(certificateOf(cluster).subjectAltName).toBe('DNS:worker-1, IP Address:10.0.0.5');
    cluster.client.certificateSigningRequests.delete('a');
    ask(cluster, { signerName: 'example.com/own' });
    approve(cluster);
    expect(requestOf(cluster).status?.certificate).toBeUndefined();
  });

  it('goes on after a crash and after a write that came before its own', () => {
    const cluster = begin();
    ask(cluster);
    cluster.faults.pause(SIGNING);
    approve(cluster);
    cluster.faults.crash('controller-manager/0');
    cluster.faults.restart('controller-manager/0');
    cluster.faults.resume(SIGNING);
    cluster.advance(seconds(30));
    expect(certificateOf(cluster).subject).toContain('jane');
  });

  it('signs with a key that verifies where there is one', async () => {
    const { signer } = await Authority.create();
    const cluster = begin();
    ask(cluster);
    const request = {
      ...requestOf(cluster),
      status: { conditions: [{ type: 'Approved', status: 'True' }] },
    };
    const status = nextStatus(request, {
      nowMs: Date.now(),
      credentials: { rootCertificate: '', accountToken: () => '', signer },
      serialNumber: () => Uint8Array.from([1, 2, 3]),
    });
    const certificate = new X509Certificate(atob(status?.certificate ?? ''));
    const authority = new X509Certificate(signer.certificate);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
  });
});

describe('the approver', () => {
  const own = {
    request: NODE_REQUEST,
    signerName: `${CLIENT}-kubelet`,
    usages: ['client auth', 'digital signature'],
  };
  const waits = (cluster: Cluster) => {
    cluster.advance(seconds(2));
    return requestOf(cluster).status ?? {};
  };

  it('approves for agents what whoever asks may have, and it is signed', () => {
    const cluster = begin();
    ask(cluster, own);
    expect(waits(cluster).conditions).toMatchObject([
      {
        type: 'Approved',
        reason: 'AutoApproved',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
      },
    ]);
    expect(certificateOf(cluster).subject).toContain('CN=system:node:worker-1');
  });

  it.each([
    ['other signers', { ...own, signerName: CLIENT }],
    ['other names', { ...own, request: USER_REQUEST }],
    ['other usages', { ...own, usages: ['server auth', 'digital signature'] }],
  ])('leaves requests for %s to an administrator', (_, spec) => {
    const cluster = begin();
    ask(cluster, spec);
    expect(waits(cluster)).toEqual({});
    cluster.advance(milliseconds(10));
  });
});
