/**
 * What requests for certificates and bundles of authorities may say, field by field, beside a plain reading of their
 * documentation ("Certificates and Certificate Signing Requests"): who asks for what never changes; an approval or a
 * certificate, once given, stays; signers write no approvals, and who approves writes no certificates.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AUTHORITY, LEAF, RSA_AUTHORITY } from '../../../../api/certificates/certificates.fixture.ts';
import { askedServer } from '../../../../cli/golden/asked-server.ts';
import { actsOn, holdsInAnyOrder } from '../../../../engine/any-order.arbitrary.ts';
import { type FieldRules, holdFieldByField } from '../field-rules.fixture.ts';

const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCRlpjMERIWE4yNkVLWGxvSXFTMm1PYklXOTRZNFRHdkcwbjRpMjJmcWdjVC9ESUR3d1B1b1ZvaE1qNS9kZ1h0Clh6cWUwY3RzMjAvTEFvKzFNSGswQjNxZ0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUFreFpqandLWnFlRFgKQ3JlNUM4SFY5TUJLYVRQSGc5NjRiY1VsSGxTcFFFc0NJQmRKYkhwOTRnaUhRdmJhSkw0c2VBVlhkWHU0b1BBdgo4WmhMVmVCbEdLK2EKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const CSR = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  resource: 'certificatesigningrequests',
};

/** What is asked for, as it may be said once. */
const ASKED: FieldRules = {
  ...CSR,
  // Of what an update says of it nothing is kept.
  isForgetful: true,
  fields: [
    {
      at: 'spec.request',
      may: [REQUEST],
      mayNot: ['', base64(AUTHORITY), base64('x')],
    },
    {
      at: 'spec.signerName',
      may: ['a.b/c', 'a.b/c.d', 'example.com/e'],
      mayNot: ['', 'a/b', 'a.b', 'a.b/c/d', 'A.b/c', 'a.b/C', 'kubernetes.io/legacy-unknown'],
    },
    { at: 'spec.expirationSeconds', may: [undefined, 600, 3_600], mayNot: [599, -1] },
    {
      at: 'spec.usages',
      may: [['any'], ['client auth', 'digital signature']],
      mayNot: [
        { value: undefined },
        { value: ['any', 'other'], at: ['spec.usages[1]'] },
        { value: ['any', 'signing', 'any'], at: ['spec.usages[2]'] },
      ],
    },
  ].map((field) => ({ ...field, isKept: true })),
};

it('CertificateSigningRequest', () => holdFieldByField(ASKED));

/** Names of bundles of a signer begin with it. */
const bundleFields = (signerName: string | undefined): FieldRules => ({
  apiVersion: 'certificates.k8s.io/v1alpha1',
  kind: 'ClusterTrustBundle',
  resource: 'clustertrustbundles',
  features: 'AllAlpha=true',
  name: signerName === undefined ? 'o*' : `${signerName.replace('/', ':')}:o*`,
  fields: [
    {
      at: 'spec.signerName',
      may: [signerName],
      isFixed: true,
    },
    {
      at: 'spec.trustBundle',
      may: [
        AUTHORITY,
        RSA_AUTHORITY,
        `${AUTHORITY}\n${RSA_AUTHORITY}`,
        `of all\n${RSA_AUTHORITY}\n${AUTHORITY}`,
      ],
      mayNot: ['', 'x', LEAF, `${AUTHORITY}\n${LEAF}`, `${AUTHORITY}\n${RSA_AUTHORITY}\n${AUTHORITY}`],
    },
  ],
});

it('ClusterTrustBundle', () => holdFieldByField(bundleFields(undefined)));
it('ClusterTrustBundle of a signer', () => holdFieldByField(bundleFields('a.b/c')));

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

interface Status {
  readonly conditions?: readonly Condition[];
  readonly certificate?: string;
}

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const CERTIFICATES = [base64(AUTHORITY), base64(RSA_AUTHORITY)];
const NO_CERTIFICATE = base64(AUTHORITY.replaceAll('CERTIFICATE', 'PRIVATE KEY'));
const FINAL = ['Approved', 'Denied', 'Failed'];
const isApproval = ({ type }: Condition): boolean => type === 'Approved' || type === 'Denied';
type Through = 'status' | 'approval' | 'object';
let served: ReturnType<typeof askedServer> | undefined;
let made = 0;

class Request {
  readonly #ask = (served ??= askedServer());
  readonly #path = `${PATH}/r${(made += 1)}`;
  #status: Status = {};
  #conditions: readonly Condition[] = [];

  constructor() {
    const { apiVersion, kind } = CSR;
    const spec = { request: REQUEST, signerName: 'a.b/c', usages: ['any'] };
    const metadata = { name: this.#path.slice(PATH.length + 1) };
    const status = { certificate: base64(AUTHORITY) };
    expect(this.#ask('POST', PATH, { apiVersion, kind, metadata, spec, status }).status).toBe(201);
  }

  pass(seconds: number): void {
    this.#ask.sleep(seconds * 1_000);
  }

  write(through: Through, said: Status): void {
    const { body: before } = this.#ask('GET', this.#path);
    const path = through === 'object' ? this.#path : `${this.#path}/${through}`;
    const { body, status } = this.#ask('PUT', path, {
      ...before,
      spec: { signerName: 'o.b/c' },
      status: said,
    });
    const next = this.#next(through, said);
    const what = `${through} ${JSON.stringify(said)} after ${JSON.stringify(this.#status)}: ${body.message ?? 'is taken'}`;
    expect(status, what).toBe(next ? 200 : 422);
    if (!next) return;
    this.#status = next;
    if (through !== 'object') this.#expectTimes(through);
  }

  /** What it says already, some time later, and perhaps something else. */
  writeAgain(through: Through, more: Status): void {
    this.pass(1);
    const { conditions = [] } = this.#status;
    const others = (more.conditions ?? []).filter(
      ({ type }) => !conditions.some((each) => each.type === type),
    );
    this.write(through, { ...this.#status, conditions: [...conditions, ...others.slice(0, 1)] });
  }

  /** What is told anew is told now; that it has become so is as old as it is. */
  #expectTimes(through: Through): void {
    const now = this.#told.conditions ?? [];
    const stays = (each: Condition): Condition | undefined =>
      this.#conditions.find(({ type }) => through === 'status' && isApproval(each) && type === each.type);
    const latest = now.find((each) => !stays(each))?.lastUpdateTime;
    for (const each of now) {
      const old = this.#conditions.find(({ type }) => type === each.type);
      expect(each.lastUpdateTime).toBe(stays(each)?.lastUpdateTime ?? latest);
      const isSame = old?.status === each.status;
      expect(each.lastTransitionTime).toBe(isSame ? old.lastTransitionTime : latest);
    }
    this.#conditions = now;
  }

  get #told(): Status {
    return (this.#ask('GET', this.#path).body as unknown as { readonly status: Status }).status;
  }

  /** Undefined: it is refused. */
  #next(through: Through, said: Status): Status | undefined {
    const { conditions = [], certificate } = this.#status;
    if (through === 'object') return this.#status;
    const wanted = said.conditions ?? [];
    // An approval that a signer repeats stays as whoever approved said it.
    const next = wanted.map((each) => {
      const isOne = wanted.filter(({ type }) => type === each.type).length === 1;
      const old = conditions.find(({ type }) => type === each.type);
      return through === 'status' && isApproval(each) && isOne && old ? old : each;
    });
    const types = next.map(({ type }) => type);
    const isKnown = next.every(
      ({ type, status }) =>
        type !== '' && (FINAL.includes(type) ? ['True'] : ['True', 'False', 'Unknown']).includes(status),
    );
    const isOnce =
      new Set(types).size === types.length && !(types.includes('Approved') && types.includes('Denied'));
    const isLost = conditions.some(({ type }) => FINAL.includes(type) && !types.includes(type));
    const isNew = next.some((each) => isApproval(each) && !conditions.some(({ type }) => type === each.type));
    const nextCertificate = through === 'status' ? said.certificate : certificate;
    const isIssued = certificate !== undefined && nextCertificate !== certificate;
    if (!isKnown || !isOnce || isLost || (through === 'status' && isNew) || isIssued) return undefined;
    if (certificate === undefined && nextCertificate === NO_CERTIFICATE) return undefined;
    return {
      ...(next.length > 0 && { conditions: next }),
      ...(nextCertificate !== undefined && { certificate: nextCertificate }),
    };
  }

  compare(): void {
    const { spec, status } = this.#ask('GET', this.#path).body as unknown as {
      readonly spec: object;
      readonly status: Status;
    };
    expect(spec).toMatchObject({ signerName: 'a.b/c', username: 'admin', usages: ['any'] });
    const conditions = status.conditions?.map(saidOf);
    expect({ ...status, ...(conditions && { conditions }) }).toEqual(this.#status);
  }
}

/** Without its times. */
const saidOf = ({ type, status: value, reason }: Condition): Condition => ({
  ...{ type, status: value },
  ...(reason !== undefined && { reason }),
});

const condition = fc.record<Condition>(
  {
    reason: fc.constantFrom('R', 'S'),
    type: fc.constantFrom('Approved', 'Approved', 'Denied', 'Denied', 'Failed', 'Own', 'Other', ''),
    status: fc.constantFrom('True', 'True', 'True', 'True', 'True', 'False', 'Maybe'),
  },
  { noNullPrototype: true },
);
const status = fc
  .record(
    {
      conditions: fc.array(condition, { maxLength: 3 }),
      certificate: fc.constantFrom(undefined, undefined, ...CERTIFICATES, NO_CERTIFICATE),
    },
    { noNullPrototype: true },
  )
  .map(({ conditions, certificate }): Status => ({
    ...(conditions.length > 0 && { conditions }),
    ...(certificate !== undefined && { certificate }),
  }));
const act = actsOn<Request>();

it('a request is approved and signed once, each by whoever may', () => {
  holdsInAnyOrder<Request>({
    begin: () => new Request(),
    acts: [
      act(
        'write',
        fc.tuple(fc.constantFrom<Through[]>('status', 'approval', 'status', 'approval', 'object'), status),
        (request, drawn) => request.write(...drawn),
      ),
      act(
        'write again',
        fc.tuple(fc.constantFrom<Through[]>('status', 'approval'), status),
        (request, drawn) => request.writeAgain(...drawn),
      ),
      act('pass', fc.integer({ min: 1, max: 3 }), (request, seconds) => request.pass(seconds)),
    ],
    compare: (request) => request.compare(),
    most: 10,
    runs: 40,
  });
});
