/**
 * What policies, ingresses, their classes and ranges of addresses may say, beside plain readings of their documentation
 * ("Network Policies", "Ingress", "Extend Service IP Ranges"): where something is wrong, and nowhere else.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../../api/status.ts';
import type { Ingress, IngressClass, NetworkPolicy } from '../../../../api/types/networking-k8s-io-v1.ts';
import { asOftenAs } from '../../../../engine/any-order.arbitrary.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { ingressClassKind } from './ingress-class.ts';
import { ingressKind } from './ingress.ts';
import { networkPolicyKind } from './network-policy.ts';
import { serviceCidrKind } from './service-cidr.ts';

const CONTEXT = {} as HookContext;
/** Each place once, as they come. */
const placesOf = (errors: readonly FieldError[] = []): readonly string[] => [
  ...new Set(errors.map(({ field }) => field)),
];
const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const maybe = <Value>(...values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom<Value | undefined>(undefined, ...values);

describe('a network policy', () => {
  const policyOf = (spec: object): NetworkPolicy => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
    spec: { podSelector: {}, ...spec },
  });
  const rulesOf = (spec: object): readonly string[] =>
    placesOf(networkPolicyKind.strategy?.validate?.(policyOf(spec), CONTEXT));

  it('is about ports that there are, and about several from one to a higher one or the same', () => {
    const port = fc.record({
      port: maybe<number | string>(0, 1, 80, 65_535, 65_536, 'http', '80'),
      endPort: maybe(0, 1, 80, 81, 65_535, 65_536),
      protocol: maybe('TCP', 'SCTP', 'ICMP'),
    });
    fc.assert(
      fc.property(port, fc.constantFrom('ingress', 'egress'), (drawn, direction) => {
        const { port: first, endPort: last, protocol } = drawn;
        const isPort = (number: number): boolean => number >= 1 && number <= 65_535;
        const isFirstWrong = typeof first === 'number' ? !isPort(first) : first === '80';
        const isLastWrong =
          last !== undefined && (typeof first !== 'number' || last < first || !isPort(last));
        const expected = [
          ...(protocol === 'ICMP' ? ['protocol'] : []),
          ...(isFirstWrong && typeof first === 'number' ? ['port'] : []),
          ...(isLastWrong ? ['endPort'] : []),
          ...(isFirstWrong && typeof first === 'string' ? ['port'] : []),
        ].map((member) => `spec.${direction}[0].ports[0].${member}`);
        expect(rulesOf({ [direction]: [{ ports: [given(drawn)] }] })).toEqual(expected);
      }),
      asOftenAs(200),
    );
  });

  it('is about pods, namespaces or addresses, and leaves out parts of these', () => {
    const CIDRS = [
      '10.0.0.0/8',
      '10.0.0.0/16',
      '10.1.0.0/16',
      '11.0.0.0/16',
      'fd00::/8',
      'fd00::/64',
      'x',
      '10.0.0.0/33',
    ];
    const isRange = (text: string): boolean => !['x', '10.0.0.0/33'].includes(text);
    const isPart = (text: string, whole: string): boolean =>
      (whole === '10.0.0.0/8' && isRange(text) && text.startsWith('10.') && text !== whole) ||
      (whole === 'fd00::/8' && text === 'fd00::/64');
    const peer = fc.record({
      podSelector: maybe({}, { matchLabels: { a: 'b' } }),
      namespaceSelector: maybe({}),
      ipBlock: fc.option(
        fc.record({ cidr: fc.constantFrom('', ...CIDRS), except: fc.subarray(CIDRS, { maxLength: 3 }) }),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(peer, (drawn) => {
        const at = 'spec.ingress[0].from[0]';
        const { podSelector, namespaceSelector, ipBlock } = drawn;
        const isSelected = podSelector !== undefined || namespaceSelector !== undefined;
        const { cidr = '10.0.0.0/8', except = [] } = ipBlock ?? {};
        const expected = [
          ...(isRange(cidr) && cidr !== '' ? [] : [`${at}.ipBlock.cidr`]),
          ...(isRange(cidr) && cidr !== ''
            ? except.flatMap((text, index) => (isPart(text, cidr) ? [] : [`${at}.ipBlock.except[${index}]`]))
            : []),
          ...((ipBlock !== undefined) === isSelected ? [at] : []),
        ];
        expect(rulesOf({ ingress: [{ from: [given(drawn)] }] })).toEqual(expected);
      }),
      asOftenAs(200),
    );
  });

  it('is of the directions that it says, or else always of what comes and of what goes if it has rules for that', () => {
    const rules = maybe([], [{}], [{ ports: [{ port: 1 }, { port: 2, protocol: 'UDP' }] }]);
    const types = maybe([], ['Egress'], ['Ingress', 'Egress']);
    fc.assert(
      fc.property(rules, rules, types, (ingress, egress, policyTypes) => {
        const draft = structuredClone(
          policyOf(given({ ingress, egress, policyTypes })),
        ) as Draft<NetworkPolicy>;
        const { defaults } = networkPolicyKind.strategy ?? {};
        defaults?.(draft, 'networking.k8s.io/v1');
        const usual = (egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
        expect(draft.spec?.policyTypes).toEqual((policyTypes ?? []).length > 0 ? policyTypes : usual);
        const protocols = [...(draft.spec?.ingress ?? []), ...(draft.spec?.egress ?? [])].flatMap(
          ({ ports = [] }) => ports.map(({ protocol }) => protocol),
        );
        expect(protocols).toEqual(protocols.map((_, at) => (at % 2 === 0 ? 'TCP' : 'UDP')));
        const once = structuredClone(draft);
        defaults?.(draft, 'networking.k8s.io/v1');
        expect(draft).toEqual(once);
      }),
      asOftenAs(60),
    );
  });
});

describe('an ingress', () => {
  const ingressOf = (spec: object, annotation?: string): Ingress => ({
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', spec },
    metadata: {
      name: 'i',
      ...(annotation !== undefined && { annotations: { 'kubernetes.io/ingress.class': annotation } }),
    },
  });
  const { validate, warningsOnCreate, tableRow } = ingressKind.strategy ?? {};
  const backend = { service: { name: 's', port: { number: 80 } } };

  it('leads paths from the root to backends, unless the controller makes something of none', () => {
    const part = fc.constantFrom('a', 'b', '.', '..', '', '%2f', 'c%2Fd', 'e.f');
    const path = fc.oneof(
      fc.constantFrom(undefined, '', 'a', '/'),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`),
    );
    const pathType = fc.constantFrom('Exact', 'Prefix', 'ImplementationSpecific', 'Other', undefined);
    fc.assert(
      fc.property(path, pathType, (text, type) => {
        const at = 'spec.rules[0].http.paths[0]';
        const parts = (text ?? '').split('/').slice(1);
        // At the end there may be one slash more, which makes the last part empty.
        const isOdd = parts.some(
          (each, index) => ['.', '..'].includes(each) || (each === '' && index < parts.length - 1),
        );
        const isHidden = /%2f/i.test(text ?? '');
        const isOfPath = type === 'Exact' || type === 'Prefix';
        const isRooted = (text ?? '').startsWith('/');
        const isFine = isOfPath
          ? isRooted && !isOdd && !isHidden
          : type !== 'ImplementationSpecific' || isRooted || (text ?? '') === '';
        const expected =
          type === undefined
            ? [`${at}.pathType`]
            : [...(type === 'Other' ? [`${at}.pathType`] : []), ...(isFine ? [] : [`${at}.path`])];
        const paths = [given({ path: text, pathType: type, backend })];
        expect(placesOf(validate?.(ingressOf({ rules: [{ http: { paths } }] }), CONTEXT))).toEqual(expected);
      }),
      asOftenAs(300),
    );
  });

  it('has a backend that is a service with a port, or a resource', () => {
    const service = maybe<object>(
      ...[{ name: 's', port: { number: 80 } }, { name: 's', port: { name: 'http' } }, { name: 's' }],
      ...[
        { name: '', port: { number: 1 } },
        { name: 's', port: { number: 80, name: 'http' } },
      ],
      ...[
        { name: 's', port: { number: 65_536 } },
        { name: 's', port: { name: '-' } },
      ],
    );
    const WRONG = [[], [], [''], ['.service.name'], [''], ['.service.port.number'], ['.service.port.name']];
    const resource = maybe<{ kind: string; name: string }>({ kind: 'K', name: 'n' }, { kind: '', name: 'n' });
    fc.assert(
      fc.property(service, resource, (ofService, ofResource) => {
        const at = 'spec.defaultBackend';
        const cases = [
          { number: 80 },
          { name: 'http' },
          undefined,
          { number: 1 },
          { number: 80, name: 'http' },
          { number: 65_536 },
          { name: '-' },
        ];
        const which = cases.findIndex(
          (port) => JSON.stringify(port) === JSON.stringify(ofService && Reflect.get(ofService, 'port')),
        );
        const one = ofResource ? (ofResource.kind === '' ? ['.resource.kind'] : []) : (WRONG[which] ?? []);
        const isOne = (ofService === undefined) !== (ofResource === undefined);
        const expected = (isOne ? one : ['']).map((place) => at + place);
        const defaultBackend = given({ service: ofService, resource: ofResource });
        expect(placesOf(validate?.(ingressOf({ defaultBackend }), CONTEXT))).toEqual(expected);
      }),
      asOftenAs(100),
    );
  });

  it('is of one class, and shows up to three hosts', () => {
    const hosts = fc.array(fc.constantFrom('', 'a.io', 'b.io', '*.c.io', '10.0.0.1', 'x_'), { maxLength: 5 });
    const name = maybe('c', 'd');
    fc.assert(
      fc.property(hosts, name, name, (all, annotation, ingressClassName) => {
        const rules = all.map((host) => given({ host: host === '' ? undefined : host }));
        const made = ingressOf(given({ rules, ingressClassName, defaultBackend: backend }), annotation);
        const isMixed =
          annotation !== undefined && ingressClassName !== undefined && annotation !== ingressClassName;
        const wrong = all.flatMap((host, at) =>
          ['10.0.0.1', 'x_'].includes(host) ? [`spec.rules[${at}].host`] : [],
        );
        const found = validate?.(made, CONTEXT) ?? [];
        expect(placesOf(found.filter(({ field }) => !field.startsWith('annotations')))).toEqual(
          wrong.length > 0 ? wrong : [],
        );
        expect(found.some(({ field }) => field.startsWith('annotations'))).toBe(isMixed);
        expect(warningsOnCreate?.(made, CONTEXT) ?? []).toHaveLength(
          annotation !== undefined && ingressClassName === undefined ? 1 : 0,
        );
        const named = all.filter((host) => host !== '');
        const more = named.length > 3 ? ` + ${named.length - 3} more...` : '';
        const { cells = [] } = tableRow?.(made, { age: () => '1s' } as never) ?? {};
        expect(cells.slice(0, 3)).toEqual([
          'i',
          ingressClassName ?? '<none>',
          (named.slice(0, 3).join(',') || '*') + more,
        ]);
      }),
      asOftenAs(150),
    );
  });
});

it('parameters of a class are of the cluster or of a namespace, which is named then and only then', () => {
  const parameters = fc.record({
    ...{
      apiGroup: maybe('g.io', '-'),
      kind: fc.constantFrom('K', ''),
      name: fc.constantFrom('n', '', 'a/b'),
    },
    ...{ scope: maybe('Cluster', 'Namespace', 'World'), namespace: maybe('', 'team', 'A') },
  });
  fc.assert(
    fc.property(parameters, fc.boolean(), (drawn, isDefaulted) => {
      const made = structuredClone({
        ...{ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'c' } },
        spec: { controller: 'a.io/c', parameters: given(drawn) },
      }) as Draft<IngressClass>;
      const { defaults, validate } = ingressClassKind.strategy ?? {};
      if (isDefaulted) defaults?.(made, 'networking.k8s.io/v1');
      const scope = drawn.scope ?? (isDefaulted ? 'Cluster' : undefined);
      const { apiGroup, kind, name, namespace } = drawn;
      const isNamed = namespace === 'team';
      const expected = [
        ...(apiGroup === '-' ? ['apiGroup'] : []),
        ...(kind === '' ? ['kind'] : []),
        ...(name === 'n' ? [] : ['name']),
        ...(scope === undefined || scope === 'World' ? ['scope'] : []),
        ...((scope === 'Namespace' && !isNamed) || (scope === 'Cluster' && namespace !== undefined)
          ? ['namespace']
          : []),
      ].map((member) => `spec.parameters.${member}`);
      expect(placesOf(validate?.(made as IngressClass, CONTEXT))).toEqual(expected);
    }),
    asOftenAs(200),
  );
});

it('a range of addresses never changes, and since 1.33 may be joined by one of the other family', () => {
  const cidr = fc.constantFrom('10.0.0.0/16', '10.1.0.0/16', 'fd00::/64', 'fd01::/64');
  const cidrs = fc.array(cidr, { maxLength: 3 });
  const isFour = (text: string): boolean => text.includes('.');
  const rangeOf = (all: readonly string[]) => ({
    ...{ apiVersion: 'networking.k8s.io/v1beta1', kind: 'ServiceCIDR', metadata: { name: 'r' } },
    spec: { cidrs: [...all] },
  });
  const areFine = (all: readonly string[]): boolean =>
    all.length === 1 || (all.length === 2 && all.filter(isFour).length === 1);
  const { validate, validateUpdate } = serviceCidrKind.strategy ?? {};
  fc.assert(
    fc.property(cidrs, cidrs, fc.boolean(), (drawn, before, isJoined) => {
      const isOf = (release: 'old' | 'new', { since, until }: FieldError): boolean =>
        release === 'old' ? since === undefined : until === undefined;
      for (const release of ['old', 'new'] as const) {
        const found = (validate?.(rangeOf(drawn), CONTEXT) ?? []).filter((error) => isOf(release, error));
        expect(found.length === 0, release).toBe(areFine(drawn));
      }
      const old = areFine(before) ? before : ['10.0.0.0/16'];
      const now = isJoined ? [...old, ...drawn].slice(0, 2) : drawn;
      const found = validateUpdate?.(rangeOf(now), rangeOf(old), CONTEXT) ?? [];
      const isSame = now.join() === old.join();
      const mayJoin = old.length === 1 && now.length === 2 && now[0] === old[0] && areFine(now);
      expect(!found.some((error) => isOf('old', error))).toBe(isSame);
      expect(!found.some((error) => isOf('new', error))).toBe(isSame || mayJoin);
    }),
    asOftenAs(200),
  );
});
