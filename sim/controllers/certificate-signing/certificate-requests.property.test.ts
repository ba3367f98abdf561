/**
 * Requests for certificates in any order of acts, whatever comes between those who keep them and the API: who is approved
 * and breaks no rule has a certificate in the end, for as long as was asked, and keeps that one; who breaks a rule has
 * failed; who is denied, or whose signer is somebody else, has none; and what is over is cleaned away, but nothing before.
 *
 * @holds sim/controllers/certificate-approval sim/controllers/certificate-request-cleaner sim/api/certificates
 */
import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-k8s-io-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { hours, seconds } from '../../engine/time.ts';
import { NODE_REQUEST, SERVING_REQUEST, USER_REQUEST } from './requests.fixture.ts';

const NAMES = ['a', 'b', 'c'] as const;
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const HOUR_MS = 3_600_000;
const BACKDATED_SECONDS = 300;
/** A round of the cleaner, and what may keep it from the first tries. */
const ROUND_MS = 1.5 * HOUR_MS;

interface Plan {
  readonly spec: CertificateSigningRequest['spec'];
  /** What a signer makes of it once it is approved. */
  readonly fate: 'issued' | 'failed' | 'left alone';
  readonly isApprovedByItself: boolean;
}

const AUTH = ['client auth', 'digital signature'] as const;
const EASY = plan('issued', { request: USER_REQUEST, signerName: CLIENT, usages: ['client auth'] });
const OF_NODE: Plan = {
  ...plan('issued', { request: NODE_REQUEST, signerName: `${CLIENT}-kubelet`, usages: AUTH }),
  isApprovedByItself: true,
};
const PLANS: readonly Plan[] = [
  EASY,
  plan('issued', { request: USER_REQUEST, signerName: CLIENT, usages: AUTH, expirationSeconds: 600 }),
  plan('issued', { request: USER_REQUEST, signerName: CLIENT, usages: AUTH, expirationSeconds: 86_400 }),
  plan('failed', { request: USER_REQUEST, signerName: CLIENT, usages: ['server auth'] }),
  plan('failed', { request: USER_REQUEST, signerName: `${CLIENT}-kubelet`, usages: AUTH }),
  OF_NODE,
  plan('issued', {
    ...{ request: SERVING_REQUEST, signerName: 'kubernetes.io/kubelet-serving' },
    usages: ['server auth', 'digital signature'],
  }),
  plan('left alone', { request: USER_REQUEST, signerName: 'example.com/own', usages: ['client auth'] }),
];

function plan(fate: Plan['fate'], spec: Plan['spec']): Plan {
  return { fate, spec, isApprovedByItself: false };
}

class World extends TroubledManager {
  readonly #plans = new Map<string, Plan>();
  readonly #certificates = new Map<string, string>();

  constructor() {
    super([
      'certificatesigningrequest-signing-controller',
      'certificatesigningrequest-approving-controller',
      'certificatesigningrequest-cleaner-controller',
    ]);
  }

  get requests(): readonly CertificateSigningRequest[] {
    return this.objects.filter(
      ({ kind }) => kind === 'CertificateSigningRequest',
    ) as readonly ApiObject[] as readonly CertificateSigningRequest[];
  }

  ask(name: string, drawn: Plan): void {
    tryTo(() => {
      const { metadata } = this.cluster.client.certificateSigningRequests.create({
        metadata: { name },
        spec: drawn.spec,
      });
      this.#plans.set(metadata.uid ?? '', drawn);
    });
  }

  /** Whose rights the API says nothing of so many times; meanwhile somebody may deny it. */
  askForNode(name: string, refusals: number, isDenied: boolean): void {
    const { faults } = this.cluster;
    const reviews = { actor: this.actor.name, resource: 'subjectaccessreviews' };
    if (refusals > 0) faults.failRequests({ ...reviews, count: refusals });
    this.remove(name);
    this.ask(name, OF_NODE);
    if (isDenied) this.decide(name, 'Denied');
    this.cluster.advance(seconds(2));
    faults.allowRequests(reviews);
  }

  decide(name: string, type: 'Approved' | 'Denied'): void {
    const { certificateSigningRequests } = this.cluster.client;
    tryTo(() => {
      const request = certificateSigningRequests.get(name);
      const conditions = [
        ...(request.status?.conditions ?? []),
        { type, status: 'True' as const, reason: 'Mine' },
      ];
      certificateSigningRequests.update(
        { ...request, status: { ...request.status, conditions } },
        { subresource: 'approval' },
      );
    });
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.certificateSigningRequests.delete(name));
  }

  /** What was issued once is that for ever, and nobody is taken away before his time. */
  compare(): void {
    const present = new Map(this.requests.map((each) => [each.metadata.uid ?? '', each]));
    for (const [uid, { status }] of present) {
      const before = this.#certificates.get(uid);
      if (before !== undefined) expect(status?.certificate, 'an issued certificate').toBe(before);
      if (status?.certificate) this.#certificates.set(uid, status.certificate);
      const types = (status?.conditions ?? []).map(({ type }) => type);
      expect(new Set(types).size, `conditions ${types.join()}`).toBe(types.length);
      if (status?.certificate) expect(types, 'who has a certificate').toContain('Approved');
    }
  }

  expectRight(): void {
    for (const request of this.requests) {
      const own = this.#plans.get(request.metadata.uid ?? '');
      if (own) expectFate(request, own);
    }
  }

  /** Once somebody has looked after all troubles. */
  expectCleaned(): void {
    const { nowMs } = this;
    for (const { metadata, status = {} } of this.requests) {
      const { conditions = [], certificate } = status;
      const ageMs = nowMs - Date.parse(metadata.creationTimestamp ?? '');
      if (conditions.length === 0) expect(ageMs, 'who waits').toBeLessThan(24 * HOUR_MS + ROUND_MS);
      const isOver = certificate !== undefined || conditions.some(({ type }) => type !== 'Approved');
      const [decided = nowMs] = conditions
        .filter(({ type }) => type !== 'Approved' || certificate !== undefined)
        .map(({ lastUpdateTime }) => Date.parse(lastUpdateTime ?? ''));
      if (isOver) expect(nowMs - decided, 'who is done').toBeLessThan(HOUR_MS + ROUND_MS);
    }
  }

  /** Whoever cannot be cleaned away keeps nobody else. */
  expectOthersCleaned(): void {
    const [kept, ...others] = NAMES;
    // Whoever is approved by others and never signed stays.
    for (const each of NAMES) this.remove(each);
    this.setAside(kept);
    for (const each of NAMES) this.ask(each, EASY);
    for (const each of NAMES) this.decide(each, 'Denied');
    this.cluster.advance(hours(1 + ROUND_MS / HOUR_MS));
    const names = this.requests.map(({ metadata }) => metadata.name);
    for (const each of others) expect(names, 'who is done').not.toContain(each);
    this.endAllTroubles();
    this.cluster.advance(hours(ROUND_MS / HOUR_MS));
    expect(this.requests, 'nobody is kept for ever').toEqual([]);
  }

  /** Half an hour later those who are a few minutes old are there. */
  expectYoungKept(): void {
    const { nowMs } = this;
    const young = this.requests.filter(
      ({ metadata }) => nowMs - Date.parse(metadata.creationTimestamp ?? '') < HOUR_MS / 4,
    );
    this.cluster.advance(hours(0.5));
    const present = new Set(this.requests.map(({ metadata }) => metadata.uid));
    for (const { metadata } of young) expect(present, 'who is young').toContain(metadata.uid);
  }
}

function expectFate({ spec, status = {} }: CertificateSigningRequest, own: Plan): void {
  const { conditions = [], certificate } = status;
  const has = (type: string): boolean => conditions.some((each) => each.type === type);
  if (own.isApprovedByItself && !has('Denied')) expect(has('Approved'), 'approved by itself').toBe(true);
  const isSigned = has('Approved') && !has('Denied');
  expect(certificate !== undefined, `a certificate of ${own.fate}`).toBe(isSigned && own.fate === 'issued');
  expect(has('Failed')).toBe(isSigned && own.fate === 'failed');
  if (certificate) expectValidity(certificate, spec.expirationSeconds);
}

function expectValidity(certificate: string, expirationSeconds: number | undefined): void {
  const { validFrom, validTo } = new X509Certificate(atob(certificate));
  const lasts = (Date.parse(validTo) - Date.parse(validFrom)) / 1_000;
  const asked = expirationSeconds ?? 8_760 * 3_600;
  expect(lasts).toBe(asked < 8 * 3_600 ? asked + BACKDATED_SECONDS : asked);
}

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const ask = act('ask', fc.tuple(name, fc.constantFrom(...PLANS)), (world, drawn) => world.ask(...drawn));
const askForNode = act('ask for a node', fc.tuple(name, fc.nat(2), fc.boolean()), (world, drawn) =>
  world.askForNode(...drawn),
);
const decide = act(
  'decide',
  fc.tuple(name, fc.constantFrom('Approved', 'Approved', 'Denied')),
  (world, drawn) => world.decide(...drawn),
);

it('approves by itself who may have what he asks for, once somebody says so', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([askForNode, askForNode, decide]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.expectRight();
      world.expectNothingInVain();
    },
    most: 6,
    runs: 12,
  });
});

it('has who is approved signed once, and cleans away who is done', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: amidTroubles<World>([
      ask,
      ask,
      decide,
      decide,
      act('remove', name, (world, of) => world.remove(of)),
      act('wait', fc.constantFrom(0.3, 1, 2.2, 25), (world, span) =>
        world.cluster.advance(seconds(span * 3_600)),
      ),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      world.expectRight();
      for (const [index, each] of NAMES.entries()) world.ask(each, PLANS[index] ?? EASY);
      world.expectYoungKept();
      // Who begins anew cleans at once.
      world.expectNothingInVain();
      world.expectRight();
      world.expectCleaned();
      world.expectOthersCleaned();
    },
    most: 16,
    runs: 10,
  });
});
