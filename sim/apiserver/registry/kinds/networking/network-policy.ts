/** NetworkPolicy: which traffic the selected pods accept and send. */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import { labelSelectorOf } from '../../../../api/selector/label-selector.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../../api/types/networking-k8s-io-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { isStrictlyWithin, parseCidr, validateCidr } from '../../../../api/validation/ip-address.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain, portName, portNumber } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { tellingSelector } from '../telling-lists.ts';
import { defineKind } from '../../define-kind.ts';

const SPEC = FieldPath.of('spec');

const tellingRules = (direction: string, peers: string): readonly (readonly string[])[] => {
  const rule = ['spec', direction, '*'];
  const peer = [...rule, peers, '*'];
  return [
    [...rule, 'ports'],
    [...rule, peers],
    ...tellingSelector(...peer, 'podSelector'),
    ...tellingSelector(...peer, 'namespaceSelector'),
    [...peer, 'ipBlock', 'except'],
  ];
};

export const networkPolicyKind = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    // Empty ones count as a change of none, each time.
    tellingEmptyLists: [
      ...tellingSelector('spec', 'podSelector'),
      ['spec', 'ingress'],
      ['spec', 'egress'],
      ...tellingRules('ingress', 'from'),
      ...tellingRules('egress', 'to'),
    ],
    metadataChecks: ['object', 'rules', 'change', 'rules'],
    laterChecks: [['1.36', ['change', 'rules']]],
    defaults: ({ spec }) => {
      if (!spec) return;
      for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
        for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
      }
      if (!spec.policyTypes?.length)
        spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
    },
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    validate: ({ spec }) => specErrors(spec),
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec'], isEqualJson),
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, selectorText(spec), age(metadata.creationTimestamp)],
    }),
  },
});

const selectorText = (spec: NetworkPolicySpec | undefined): string =>
  labelSelectorOf(spec?.podSelector ?? {}).text || '<none>';

const IN_ORDER = { inOrder: true };
const MAX_POLICY_TYPES = 2;

function specErrors(spec: NetworkPolicySpec | undefined): FieldError[] {
  if (!spec) return [];
  const errors: FieldError[] = [...validateLabelSelector(spec.podSelector, SPEC.child('podSelector'))];
  for (const [at, { ports, from }] of (spec.ingress ?? []).entries()) {
    append(errors, ruleErrors(ports ?? [], from ?? [], SPEC.child('ingress').index(at), 'from'));
  }
  for (const [at, { ports, to }] of (spec.egress ?? []).entries()) {
    append(errors, ruleErrors(ports ?? [], to ?? [], SPEC.child('egress').index(at), 'to'));
  }
  const types = spec.policyTypes ?? [];
  const path = SPEC.child('policyTypes');
  if (types.length > MAX_POLICY_TYPES) {
    const shown = goStringSlice(types, 'networking.PolicyType');
    return [...errors, invalid(path, shown, 'may not specify more than two policyTypes')];
  }
  return [
    ...errors,
    ...types.flatMap((type, at) => oneOf(type, ['Ingress', 'Egress'], path.index(at), IN_ORDER)),
  ];
}

function ruleErrors(
  ports: readonly NetworkPolicyPort[],
  peers: readonly NetworkPolicyPeer[],
  path: FieldPath,
  member: 'from' | 'to',
): FieldError[] {
  return [
    ...ports.flatMap((port, at) => portErrors(port, path.child('ports').index(at))),
    ...peers.flatMap((peer, at) => peerErrors(peer, path.child(member).index(at))),
  ];
}

function portErrors({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined)
    append(errors, oneOf(protocol, ['TCP', 'UDP', 'SCTP'], path.child('protocol'), IN_ORDER));
  const endPath = path.child('endPort');
  if (port === undefined) {
    if (endPort !== undefined)
      errors.push(invalid(endPath, endPort, 'may not be specified when `port` is not specified'));
    return errors;
  }
  if (typeof port === 'string') {
    if (endPort !== undefined)
      errors.push(invalid(endPath, endPort, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...checkedBy(portName, port, path.child('port'))];
  }
  for (const finding of portNumber(port)) errors.push(invalid(path.child('port'), port, finding));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(endPath, port, 'must be greater than or equal to `port`'));
  for (const finding of portNumber(endPort)) errors.push(invalid(endPath, endPort, finding));
  return errors;
}

function peerErrors(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [
    ...validateLabelSelector(podSelector, path.child('podSelector')),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector')),
  ];
  if (ipBlock) append(errors, ipBlockErrors(ipBlock, path.child('ipBlock')));
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(path, 'must specify a peer'));
  else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function ipBlockErrors({ cidr, except = [] }: IPBlock, path: FieldPath): FieldError[] {
  if (!cidr) return [required(path.child('cidr'))];
  const errors: FieldError[] = [...validateCidr(cidr, path.child('cidr'))];
  const outer = parseCidr(cidr);
  if (!outer) return errors;
  for (const [at, text] of except.entries()) {
    const field = path.child('except').index(at);
    const inner = parseCidr(text);
    if (!inner) append(errors, validateCidr(text, field));
    else if (!isStrictlyWithin(inner, outer)) {
      errors.push(invalid(field, text, `must be a strict subset of \`cidr\``));
    }
  }
  return errors;
}
