/** Ingress: HTTP hosts and paths and the services behind them. */
import { append } from '../../../../api/append.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressSpec,
} from '../../../../api/types/networking-k8s-io-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { invalid, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseIp, validateIp } from '../../../../api/validation/ip-address.ts';
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  pathSegmentName,
  portName,
  portNumber,
  wildcardDns1123Subdomain,
} from '../../../../api/validation/names.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { keepMember, raiseGeneration, STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { hostnameErrors } from '../core/load-balancer-status.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const SPEC = FieldPath.of('spec');
const MAX_SHOWN = 3;

export const ingressKind = defineKind<Ingress>({
  group: 'networking.k8s.io',
  resource: 'ingresses',
  storageDirectory: 'ingress',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'object'],
    tellingEmptyLists: [['spec', 'rules']],
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
      draft.status = { loadBalancer: {} };
    },
    validate: (object) => [...specErrors(object.spec ?? {}), ...annotationErrors(object)],
    warningsOnCreate: ({ metadata, spec }) =>
      metadata.annotations?.[CLASS_ANNOTATION] === undefined || spec?.ingressClassName !== undefined
        ? []
        : [
            `annotation ${JSON.stringify(CLASS_ANNOTATION)} is deprecated, please use 'spec.ingressClassName' instead`,
          ],
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'status');
      raiseGeneration(draft, old, ['spec']);
    },
    validateUpdate: ({ spec = {} }) => specErrors(spec),
    resetFields: [['status']],
    subresources: { status: { ...STATUS_RULES, validateUpdate: statusErrors } },
    tableRow: ingressRow,
  },
});

function annotationErrors({ metadata, spec = {} }: Ingress): FieldError[] {
  const value = metadata.annotations?.[CLASS_ANNOTATION];
  if (value === undefined || spec.ingressClassName === undefined || value === spec.ingressClassName)
    return [];
  return [
    invalid(
      FieldPath.of('annotations', CLASS_ANNOTATION),
      value,
      'must match `ingressClassName` when both are specified',
    ),
  ];
}

function specErrors({ rules, defaultBackend, tls = [], ingressClassName }: IngressSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (!rules?.length && !defaultBackend) {
    const shown = rules
      ? new GoSyntax('[]networking.IngressRule{}', '[]')
      : new GoSyntax('[]networking.IngressRule(nil)', 'null');
    errors.push(invalid(SPEC, shown, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (defaultBackend) append(errors, backendErrors(defaultBackend, SPEC.child('defaultBackend')));
  for (const [at, { host, http }] of (rules ?? []).entries()) {
    const path = SPEC.child('rules').index(at);
    if (host) append(errors, hostErrors(host, path.child('host')));
    if (http) append(errors, pathsErrors(http.paths ?? [], path.child('http', 'paths')));
  }
  for (const [at, { hosts = [], secretName }] of tls.entries()) {
    const path = SPEC.child('tls').index(at);
    for (const [index, host] of hosts.entries())
      append(errors, nameOrWildcardErrors(host, path.child('hosts').index(index)));
    if (secretName) append(errors, checkedBy(dns1123Subdomain, secretName, path.child('secretName')));
  }
  if (ingressClassName !== undefined)
    append(errors, checkedBy(dns1123Subdomain, ingressClassName, SPEC.child('ingressClassName')));
  return errors;
}

function hostErrors(host: string, path: FieldPath): FieldError[] {
  const errors = parseIp(host) ? [invalid(path, host, 'must be a DNS name, not an IP address')] : [];
  return [...errors, ...nameOrWildcardErrors(host, path)];
}

const nameOrWildcardErrors = (host: string, path: FieldPath): readonly FieldError[] =>
  checkedBy(host.includes('*') ? wildcardDns1123Subdomain : dns1123Subdomain, host, path);

function pathsErrors(paths: readonly HTTPIngressPath[], path: FieldPath): FieldError[] {
  if (paths.length === 0) return [required(path)];
  return paths.flatMap((each, at) => pathErrors(each, path.index(at)));
}

const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

function pathErrors({ path: text = '', pathType, backend }: HTTPIngressPath, path: FieldPath): FieldError[] {
  const typePath = path.child('pathType');
  const field = path.child('path');
  if (pathType === undefined || pathType === null) return [required(typePath, 'pathType must be specified')];
  const errors: FieldError[] = [...oneOf(pathType, ['Exact', 'ImplementationSpecific', 'Prefix'], typePath)];
  const isExact = pathType === 'Exact' || pathType === 'Prefix';
  const needsSlash = isExact || (pathType === 'ImplementationSpecific' && text !== '');
  if (needsSlash && !text.startsWith('/')) errors.push(invalid(field, text, 'must be an absolute path'));
  if (isExact) {
    for (const part of FORBIDDEN_PARTS)
      if (text.includes(part)) errors.push(invalid(field, text, `must not contain '${part}'`));
    for (const end of FORBIDDEN_ENDS)
      if (text.endsWith(end)) errors.push(invalid(field, text, `cannot end with '${end}'`));
  }
  return [...errors, ...backendErrors(backend ?? {}, path.child('backend'))];
}

function backendErrors({ service, resource }: IngressBackend, path: FieldPath): FieldError[] {
  if (service && resource) return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource) return referenceErrors(resource, path.child('resource'));
  if (!service) return [invalid(path, '', 'resource or service backend is required')];
  const { name, port = {} } = service;
  const field = path.child('service');
  const errors: FieldError[] = name
    ? [
        ...until('1.36', checkedBy(dns1035Label, name, field.child('name'))),
        ...since('1.36', checkedBy(dns1123Label, name, field.child('name'))),
      ]
    : [required(field.child('name'))];
  if (port.name && port.number) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (port.name) append(errors, checkedBy(portName, port.name, field.child('port', 'name')));
  else if (port.number) {
    for (const finding of portNumber(port.number))
      errors.push(invalid(field.child('port', 'number'), port.number, finding));
  } else errors.push(required(path, 'port name or number is required'));
  return errors;
}

function referenceErrors(
  { apiGroup, kind, name }: { readonly apiGroup?: string; readonly kind: string; readonly name: string },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (typeof apiGroup === 'string')
    append(errors, checkedBy(dns1123Subdomain, apiGroup, path.child('apiGroup')));
  for (const [member, text] of [
    ['kind', kind],
    ['name', name],
  ] as const) {
    if (text) append(errors, checkedBy(pathSegmentName, text, path.child(member)));
    else errors.push(required(path.child(member), `${member} is required`));
  }
  return errors;
}

function statusErrors({ status }: Ingress): FieldError[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }, at) => {
    const path = FieldPath.of('status', 'loadBalancer', 'ingress').index(at);
    return [
      ...(ip ? validateIp(ip, path.child('ip')) : []),
      ...(hostname ? hostnameErrors(hostname, path.child('hostname')) : []),
    ];
  });
}

function ingressRow({ metadata, spec = {}, status }: Ingress, { age }: TableClock): TableRow {
  const hosts = (spec.rules ?? []).map(({ host }) => host ?? '').filter((host) => host !== '');
  const shown = hosts.slice(0, MAX_SHOWN).join(',');
  const hostText = hosts.length > MAX_SHOWN ? `${shown} + ${hosts.length - MAX_SHOWN} more...` : shown || '*';
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return {
    cells: [
      metadata.name,
      spec.ingressClassName ?? '<none>',
      hostText,
      [...new Set(addresses.filter((address) => address !== ''))].sort().join(','),
      spec.tls?.length ? '80, 443' : '80',
      age(metadata.creationTimestamp),
    ],
  };
}
