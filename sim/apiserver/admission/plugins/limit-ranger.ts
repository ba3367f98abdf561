/**
 * LimitRanger: containers that say nothing of their resources get the defaults of the namespace's limit
 * ranges, and pods and claims have to keep within them. Specification: not shown (Kubernetes).
 */
import { ownMember } from '../../../api/own-member.ts';
import {
  addQuantities,
  approximateNumber,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '../../../api/quantity.ts';
import { forbidden } from '../../../api/status.ts';
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from '../../../api/types/core-v1.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

type Amounts = Readonly<Record<string, string>>;
type DraftContainer = Draft<Container>;

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  handles: (operation, { group, resource }, subresource) => {
    if (group !== '' || subresource !== '') return false;
    if (resource === 'pods') return operation === 'CREATE';
    return resource === 'persistentvolumeclaims' && (operation === 'CREATE' || operation === 'UPDATE');
  },
  admit: (attributes) => {
    if (attributes.resource.resource !== 'pods') return;
    for (const { spec } of rangesOf(attributes))
      setDefaults(attributes.object as Draft<Pod>, spec?.limits ?? []);
  },
  validate: (attributes) => {
    for (const { spec } of rangesOf(attributes)) {
      const problems = (spec?.limits ?? []).flatMap((limit) => problemsOf(attributes, limit));
      if (problems.length > 0) {
        throw forbidden(
          attributes.resource,
          attributes.name,
          problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`,
        );
      }
    }
  },
};

const rangesOf = ({ context, namespace }: AdmissionAttributes): readonly LimitRange[] =>
  context.lookupAll('limitranges', namespace);

function setDefaults(pod: Draft<Pod>, limits: readonly LimitRangeItem[]): void {
  const defaults = limits.filter(({ type }) => type === 'Container');
  const requests: Amounts = Object.assign({}, ...defaults.map(({ defaultRequest = {} }) => defaultRequest));
  const caps: Amounts = Object.assign({}, ...defaults.map((limit) => limit.default ?? {}));
  const told = [
    ...(pod.spec?.containers ?? []).flatMap((container) => setOn(container, 'container', requests, caps)),
    ...(pod.spec?.initContainers ?? []).flatMap((container) =>
      setOn(container, 'init container', requests, caps),
    ),
  ];
  if (told.length > 0)
    (pod.metadata.annotations ??= {})[ANNOTATION] = `LimitRanger plugin set: ${told.join('; ')}`;
}

function setOn(container: DraftContainer, word: string, requests: Amounts, limits: Amounts): string[] {
  const told: string[] = [];
  const fill = (member: 'requests' | 'limits', amounts: Amounts, noun: string): void => {
    const present = container.resources?.[member] ?? {};
    const missing = Object.keys(amounts)
      .filter((name) => !Object.hasOwn(present, name))
      .sort();
    if (missing.length === 0) return;
    const added = Object.fromEntries(missing.map((name) => [name, amounts[name] ?? '0']));
    container.resources = { ...container.resources, [member]: { ...present, ...added } };
    told.push(`${missing.join(', ')} ${noun} for ${word} ${container.name}`);
  };
  fill('requests', requests, 'request');
  fill('limits', limits, 'limit');
  return told;
}

interface Usage {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function problemsOf({ object, resource }: AdmissionAttributes, limit: LimitRangeItem): string[] {
  if (resource.resource === 'persistentvolumeclaims') {
    if (limit.type !== 'PersistentVolumeClaim') return [];
    const requests = (object as PersistentVolumeClaim).spec?.resources?.requests ?? {};
    return [...belowMinimum(limit, { requests, limits: {} }), ...aboveRequest(limit, requests)];
  }
  const { spec } = object as Pod;
  if (limit.type === 'Container') {
    return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(({ resources }) =>
      rangeProblems(limit, {
        requests: resources?.requests ?? {},
        limits: resources?.limits ?? {},
      }),
    );
  }
  return limit.type === 'Pod'
    ? rangeProblems(limit, { requests: sumOf(spec, 'requests'), limits: sumOf(spec, 'limits') })
    : [];
}

const rangeProblems = (limit: LimitRangeItem, usage: Usage): string[] => [
  ...belowMinimum(limit, usage),
  ...aboveMaximum(limit, usage),
  ...ratioProblems(limit, usage),
];

const amount = (text: string): Quantity => parseQuantity(text);
const isLess = (one: string, other: string): boolean => compareQuantities(amount(one), amount(other)) < 0;
const names = (amounts: Amounts | undefined): string[] => Object.keys(amounts ?? {}).sort();

function belowMinimum({ type, min }: LimitRangeItem, { requests, limits }: Usage): string[] {
  return names(min as Amounts).flatMap((name) => {
    const least = (min as Amounts)[name] ?? '0';
    const [request, limit] = [ownMember(requests, name), ownMember(limits, name)];
    const head = `minimum ${name} usage per ${type} is ${least}`;
    if (request === undefined) return [`${head}.  No request is specified`];
    if (isLess(request, least)) return [`${head}, but request is ${request}`];
    return limit !== undefined && isLess(limit, least) ? [`${head}, but limit is ${limit}`] : [];
  });
}

function aboveMaximum({ type, max }: LimitRangeItem, { requests, limits }: Usage): string[] {
  return names(max as Amounts).flatMap((name) => {
    const most = (max as Amounts)[name] ?? '0';
    const [request, limit] = [ownMember(requests, name), ownMember(limits, name)];
    const head = `maximum ${name} usage per ${type} is ${most}`;
    if (limit === undefined) return [`${head}.  No limit is specified`];
    if (isLess(most, limit)) return [`${head}, but limit is ${limit}`];
    return request !== undefined && isLess(most, request) ? [`${head}, but request is ${request}`] : [];
  });
}

function aboveRequest({ type, max }: LimitRangeItem, requests: Amounts): string[] {
  return names(max as Amounts).flatMap((name) => {
    const most = (max as Amounts)[name] ?? '0';
    const request = ownMember(requests, name);
    return request !== undefined && isLess(most, request)
      ? [`maximum ${name} usage per ${type} is ${most}, but request is ${request}`]
      : [];
  });
}

function ratioProblems(
  { type, maxLimitRequestRatio }: LimitRangeItem,
  { requests, limits }: Usage,
): string[] {
  return names(maxLimitRequestRatio as Amounts).flatMap((name) => {
    const most = (maxLimitRequestRatio as Amounts)[name] ?? '0';
    const [request, limit] = [ownMember(requests, name), ownMember(limits, name)];
    const head = `${name} max limit to request ratio per ${type} is ${most}`;
    if (request === undefined || numberOf(request) === 0)
      return [`${head}, but no request is specified or request is 0`];
    if (limit === undefined || numberOf(limit) === 0)
      return [`${head}, but no limit is specified or limit is 0`];
    const ratio = numberOf(limit) / numberOf(request);
    return ratio > numberOf(most) ? [`${head}, but provided ratio is ${ratio.toFixed(6)}`] : [];
  });
}

const numberOf = (text: string): number => approximateNumber(amount(text));

/** Containers add up; the largest init container counts if it is larger than they are together. */
function sumOf(spec: Pod['spec'], member: 'requests' | 'limits'): Amounts {
  const sums: Record<string, string> = {};
  for (const { resources } of spec?.containers ?? []) {
    for (const [name, text] of Object.entries(resources?.[member] ?? {})) {
      sums[name] =
        sums[name] === undefined ? text : formatQuantity(addQuantities(amount(sums[name]), amount(text)));
    }
  }
  for (const { resources } of spec?.initContainers ?? []) {
    for (const [name, text] of Object.entries(resources?.[member] ?? {})) {
      if (sums[name] === undefined || isLess(sums[name], text)) sums[name] = text;
    }
  }
  return sums;
}
