/**
 * What guards and fills in new objects, in any combination, beside a plain reading of its documentation ("Admission
 * Control"): the token and the patience of pods, the taint of new nodes, what keeps storage from going while it is in use,
 * and whose word counts for a signer of certificates.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AUTHORITY, RSA_AUTHORITY } from '../../../api/certificates/certificates.fixture.ts';
import type { Toleration } from '../../../api/types/core-v1.ts';
import { VirtualServer } from '../../../cli/golden/virtual-server.ts';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';

interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly [member: string]: unknown };
}

class Server {
  readonly #server = new VirtualServer({ featureGates: 'AllAlpha=true', runtimeConfig: 'api/all=true' });

  constructor() {
    this.ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  }

  ask(method: string, path: string, body: object, who = 'admin'): Answer {
    const { status, bytes } = this.#server.request({
      ...{ method, path, body: new TextEncoder().encode(JSON.stringify(body)) },
      headers: {
        authorization: `Bearer ${who}-token`,
        accept: 'application/json',
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
    });
    return { status, body: JSON.parse(new TextDecoder().decode(bytes)) as Answer['body'] };
  }

  sleep(ms: number): void {
    this.#server.sleep(ms);
  }
}

const CORE = '/api/v1/namespaces/default';
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const effects = fc.constantFrom<Toleration['effect'][]>('NoExecute', 'NoSchedule', undefined);
const tolerations: fc.Arbitrary<Toleration[]> = fc.array(
  fc
    .record({ key: fc.constantFrom(...TAINTS, '', 'other'), effect: effects })
    .map(({ key, effect }): Toleration => ({
      ...(key !== '' && { key }),
      operator: 'Exists',
      ...(effect && { effect }),
    })),
  { maxLength: 3 },
);

const TOKENS = '/var/run/secrets/kubernetes.io/serviceaccount';
interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}
const mounts: fc.Arbitrary<Mount | undefined> = fc.constantFrom<(Mount | undefined)[]>(
  undefined,
  undefined,
  { name: 'v', mountPath: '/other' },
  { name: 'v', mountPath: TOKENS },
  { name: 'v', mountPath: TOKENS, readOnly: true },
);
const secrets = fc.constantFrom<string[][]>([], ['s'], ['t', 's']);
const named = (names: readonly string[]): readonly object[] => names.map((name) => ({ name }));

interface Shown {
  readonly spec: {
    readonly tolerations?: readonly Toleration[];
    readonly volumes?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly volumeMounts?: readonly Mount[] }[];
    readonly containers: readonly { readonly volumeMounts?: readonly Mount[] }[];
    readonly imagePullSecrets?: readonly object[];
  };
}

it('a new pod bears what befalls its node for a while, and holds the token of its account', () => {
  const server = new Server();
  const account = { metadata: { name: 'a' } };
  server.ask('POST', `${CORE}/serviceaccounts`, account);
  fc.assert(
    fc.property(
      fc.record({
        tolerations,
        own: mounts,
        other: mounts,
        before: mounts,
        ofPod: secrets,
        ofAccount: secrets,
      }),
      (drawn) => {
        server.ask('PUT', `${CORE}/serviceaccounts/a`, {
          ...account,
          imagePullSecrets: named(drawn.ofAccount),
        });
        server.sleep(100);
        const said = [drawn.before, drawn.own, drawn.other];
        const [before, ...containers] = said.map((mount, at) => ({
          ...{ name: `c${at}`, image: 'i' },
          ...(mount && { volumeMounts: [mount] }),
        }));
        const spec = {
          ...{ containers, initContainers: [before], serviceAccountName: 'a' },
          ...{ tolerations: drawn.tolerations, imagePullSecrets: named(drawn.ofPod) },
          volumes: [{ name: 'v', emptyDir: {} }],
        };
        const { status, body } = server.ask('POST', `${CORE}/pods?dryRun=All`, {
          metadata: { name: 'p' },
          spec,
        });
        expect(status, body.message).toBe(201);
        const { spec: shown } = body as unknown as Shown;
        const missing = TAINTS.filter((taint) =>
          drawn.tolerations.every(
            ({ key, effect }) => (key !== taint && key !== undefined) || effect === 'NoSchedule',
          ),
        ).map((key) => ({ ...{ key, operator: 'Exists', effect: 'NoExecute' }, tolerationSeconds: 300 }));
        expect(shown.tolerations ?? []).toEqual([...drawn.tolerations, ...missing]);
        const pulled = drawn.ofPod.length > 0 ? drawn.ofPod : drawn.ofAccount;
        expect(shown.imagePullSecrets ?? []).toEqual(named(pulled));
        const volumes = (shown.volumes ?? []).map(({ name }) => name);
        const isSomewhere = said.some((mount) => mount?.mountPath !== TOKENS);
        expect(volumes).toHaveLength(isSomewhere ? 2 : 1);
        const token = { name: volumes[1], readOnly: true, mountPath: TOKENS };
        expect(
          [...(shown.initContainers ?? []), ...shown.containers].map(
            ({ volumeMounts }) => volumeMounts ?? [],
          ),
        ).toEqual(
          said.map((mount) => [...(mount ? [mount] : []), ...(mount?.mountPath === TOKENS ? [] : [token])]),
        );
      },
    ),
    asOftenAs(60),
  );
});

it('a new node is not ready, and storage stays as long as it is used', () => {
  const server = new Server();
  const taint = fc.record({
    key: fc.constantFrom(TAINTS[0], 'other'),
    effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
  });
  const taints = fc.uniqueArray(taint, { maxLength: 3, selector: ({ key, effect }) => `${key} ${effect}` });
  const finalizers = fc.subarray(['a.b/c', 'kubernetes.io/pv-protection', 'kubernetes.io/pvc-protection']);
  fc.assert(
    fc.property(taints, finalizers, (drawn, kept) => {
      const metadata = { name: 'o', finalizers: kept };
      const node = server.ask('POST', '/api/v1/nodes?dryRun=All', {
        metadata: { name: 'o' },
        spec: { taints: drawn },
      });
      const isTainted = drawn.some(({ key, effect }) => key === TAINTS[0] && effect === 'NoSchedule');
      const expected = isTainted ? drawn : [...drawn, { key: TAINTS[0], effect: 'NoSchedule' }];
      expect(node.body).toMatchObject({ spec: { taints: expected } });
      const size = { storage: '1Gi' };
      const accessModes = ['ReadWriteOnce'];
      const volume = { capacity: size, accessModes, hostPath: { path: '/a' } };
      const claim = { accessModes, resources: { requests: size } };
      const made = [
        [server.ask('POST', '/api/v1/persistentvolumes?dryRun=All', { metadata, spec: volume }), 'pv'],
        [server.ask('POST', `${CORE}/persistentvolumeclaims?dryRun=All`, { metadata, spec: claim }), 'pvc'],
      ] as const;
      for (const [{ body }, kind] of made) {
        const own = `kubernetes.io/${kind}-protection`;
        expect(body).toMatchObject({ metadata: { finalizers: kept.includes(own) ? kept : [...kept, own] } });
      }
    }),
    asOftenAs(60),
  );
});

const REQUESTS = {
  masters: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZk1JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1Js',
    'YlRwdFlYTjBaWEp6TVFvd0NBWURWUVFEREFGaApNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVWbHpRTWRj',
    'M2JvUXBlV2dpcExhWTVzaGIzaGpoCk1hOGJTZmlMYlorcUJ4UDhNZ1BEQSs2aFdpRXlQbjkyQmUxZk9wN1J5MnpiVDhzQ2o3',
    'VXdlVFFIZXFBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBjQU1FUUNJRmxLRU1SM0RuWGFzQWxGM3cwWjB1V25ydlNKaHdYWGhiYlRO',
    'SnllY0cxMApBaUJhTk9QMmZEbVNyVllnNm1lSU00Zy9uYnNCTVFrOE81MERnS1NFZ0xuS293PT0KLS0tLS1FTkQgQ0VSVElG',
    'SUNBVEUgUkVRVUVTVC0tLS0tCg==',
  ].join(''),
  others: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIUk1Ib0NBUUF3R0RFS01BZ0dBMVVFQ2d3QllqRUtNQWdH',
    'QTFVRUF3d0JZVEJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQkZaYzBESFhOMjZFS1hsb0lxUzJtT2JJVzk0',
    'WTRUR3ZHMG40aTIyZnFnY1QvRElECnd3UHVvVm9oTWo1L2RnWHRYenFlMGN0czIwL0xBbysxTUhrMEIzcWdBREFLQmdncWhr',
    'ak9QUVFEQWdOSEFEQkUKQWlCSUY2K1JWcTlLTFNySGgzQVgwMndmOHhvVURacDN6YkU3OHcvSk84NTNaQUlnVDl1dzRpejNF',
    'RnVERTREbQorVUJGbDFwak12a2JxYkZqRjRWUmpsQU9iMGM9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
  ].join(''),
  both: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIck1JR1RBZ0VBTURFeENqQUlCZ05WQkFvTUFXSXhGekFW',
    'QmdOVkJBb01Ebk41YzNSbGJUcHRZWE4wWlhKegpNUW93Q0FZRFZRUUREQUZoTUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemow',
    'REFRY0RRZ0FFVmx6UU1kYzNib1FwCmVXZ2lwTGFZNXNoYjNoamhNYThiU2ZpTGJaK3FCeFA4TWdQREErNmhXaUV5UG45MkJl',
    'MWZPcDdSeTJ6YlQ4c0MKajdVd2VUUUhlcUFBTUFvR0NDcUdTTTQ5QkFNQ0EwY0FNRVFDSUVtSytxWGRWM2xBRlNjckRLMG9F',
    'UXJPNWZ3SQpkaFd4MVU2K3ArbDBZNkxsQWlCVXRUc3QzTWNHMnJXMjY1aFFEb3E4QkhFSFQwYnJreENVMTYvSTBIUjdoUT09',
    'Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
  ].join(''),
};
const CERTIFICATES = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const BUNDLES = '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const usages = ['any'];

it('nobody asks to be a master of the cluster', () => {
  const server = new Server();
  fc.assert(
    fc.property(
      fc.constantFrom<(keyof typeof REQUESTS)[]>('masters', 'others', 'both'),
      fc.constantFrom(CLIENT_SIGNER, 'a.b/c'),
      (who, signerName) => {
        const spec = { request: REQUESTS[who], signerName, usages };
        const { status } = server.ask('POST', `${CERTIFICATES}?dryRun=All`, {
          metadata: { name: 'r' },
          spec,
        });
        expect(status).toBe(who !== 'others' && signerName === CLIENT_SIGNER ? 403 : 201);
      },
    ),
    asOftenAs(30),
  );
});

const VERBS = ['approve', 'sign', 'attest'] as const;
const SIGNER = 'a.b/c';
const NAMES = [SIGNER, 'a.b/*', 'a.b/d', 'x.y/*', 'a.b'];
const GROUPED = { apiGroups: ['certificates.k8s.io'] };
const EVERY_WRITE = { ...GROUPED, resources: ['*'], verbs: ['create', 'get', 'update', 'patch'] };

it('who speaks for a signer may do so', () => {
  const server = new Server();
  const role = `${RBAC}/clusterroles`;
  const metadata = { name: 'alice' };
  server.ask('POST', role, { metadata, rules: [] });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'alice' };
  const subjects = [{ kind: 'User', name: 'alice' }];
  server.ask('POST', `${RBAC}/clusterrolebindings`, { metadata, roleRef, subjects });
  const rights = fc.array(fc.tuple(fc.subarray([...VERBS]), fc.subarray(NAMES)), { maxLength: 2 });
  const deeds = fc.constantFrom('approve', 'sign', 'fail', 'note', 'bundle', 'change', 'label', 'finalizers');
  let count = 0;
  fc.assert(
    fc.property(rights, fc.array(deeds, { maxLength: 4 }), (drawn, list) => {
      const rules = drawn
        .filter(([verbs, resourceNames]) => verbs.length > 0 && resourceNames.length > 0)
        .map(([verbs, resourceNames]) => ({ ...GROUPED, verbs, resources: ['signers'], resourceNames }));
      server.ask('PUT', `${role}/alice`, { metadata, rules: [EVERY_WRITE, ...rules] });
      const isAllowed = (verb: (typeof VERBS)[number]): boolean =>
        drawn.some(
          ([verbs, names]) => verbs.includes(verb) && (names.includes(SIGNER) || names.includes('a.b/*')),
        );
      for (const deed of list) {
        const name = `r${(count += 1)}`;
        const spec = { request: REQUESTS.others, signerName: SIGNER, usages };
        server.ask('POST', CERTIFICATES, { metadata: { name }, spec });
        const bundle = `a.b:c:${name}`;
        const trust = (trustBundle: string): object => ({
          ...{ metadata: { name: bundle }, spec: { signerName: SIGNER, trustBundle } },
        });
        if (deed !== 'bundle') server.ask('POST', BUNDLES, trust(AUTHORITY));
        server.sleep(100);
        const conditions = (type: string): object => ({ status: { conditions: [{ type, status: 'True' }] } });
        const certificate = Buffer.from(AUTHORITY).toString('base64');
        const patch = (path: string, body: object): Answer => server.ask('PATCH', path, body, 'alice');
        const own = `${CERTIFICATES}/${name}`;
        const done: readonly [answer: Answer, isFree: boolean] = {
          approve: () => [patch(`${own}/approval`, conditions('Approved')), isAllowed('approve')] as const,
          sign: () => [patch(`${own}/status`, { status: { certificate } }), isAllowed('sign')] as const,
          fail: () => [patch(`${own}/status`, conditions('Failed')), isAllowed('sign')] as const,
          note: () => [patch(`${own}/status`, conditions('Own')), true] as const,
          bundle: () =>
            [server.ask('POST', BUNDLES, trust(AUTHORITY), 'alice'), isAllowed('attest')] as const,
          change: () =>
            [
              patch(`${BUNDLES}/${bundle}`, { spec: { trustBundle: RSA_AUTHORITY } }),
              isAllowed('attest'),
            ] as const,
          label: () =>
            [
              patch(`${BUNDLES}/${bundle}`, { metadata: { labels: { a: 'b' } } }),
              isAllowed('attest'),
            ] as const,
          finalizers: () =>
            [patch(`${BUNDLES}/${bundle}`, { metadata: { finalizers: ['a.b/c'] } }), true] as const,
        }[deed]();
        const [{ status, body }, isFree] = done;
        expect(status < 300, `${deed} with ${JSON.stringify(drawn)}: ${body.message ?? 'is done'}`).toBe(
          isFree,
        );
        if (!isFree) expect(status).toBe(403);
      }
    }),
    asOftenAs(60),
  );
});
