/** StorageVersion: in which version each API server stores a resource, and which one they agree on. */
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../../../api/types/internal-apiserver-k8s-io-v1alpha1.ts';
import { checkedBy, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, type NameCheck, qualifiedName } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { BARE_STATUS_RULES, keepMember } from '../../generic-strategy.ts';
import { apiVersionProblem, groupResourceName } from './storage-version-names.ts';

const STATUS = FieldPath.of('status');
const COMMON = STATUS.child('commonEncodingVersion');

const nameIsGroupResource: NameCheck = (name) => groupResourceName(name);

export const storageVersionKind = defineKind<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  resource: 'storageversions',
  strategy: {
    prepareForCreate: (draft) => {
      draft.status = {};
    },
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    resetFields: [['status']],
    nameCheck: nameIsGroupResource,
    tellingEmptyLists: [['status', 'storageVersions', '*', 'decodableVersions']],
    requiresVersionOnUpdate: true,
    metadataChecks: [],
    subresources: { status: { ...BARE_STATUS_RULES, metadataChecks: [], validateUpdate: statusErrors } },
    tableRow: ({ metadata, status }, { age }) => ({
      cells: [
        metadata.name,
        status?.commonEncodingVersion ?? '<unset>',
        (status?.storageVersions ?? [])
          .map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`)
          .join(','),
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

function statusErrors({ status }: StorageVersion): readonly FieldError[] {
  const servers = (status?.storageVersions ?? []).map((server) => server ?? {});
  const ids = servers.map(({ apiServerID = '' }) => apiServerID);
  const repeated = repeatedAt(ids);
  return [
    ...servers.flatMap((server, at) => {
      const path = STATUS.child('storageVersions').index(at);
      const again = repeated.has(at) ? [duplicate(path.child('apiServerID'), ids[at] ?? '')] : [];
      return [...again, ...serverErrors(server, path)];
    }),
    ...commonErrors(status, servers),
    ...conditionErrors(status?.conditions ?? []),
  ];
}

function serverErrors(server: ServerStorageVersion, path: FieldPath): readonly FieldError[] {
  const { apiServerID = '', encodingVersion = '' } = server;
  const decodable = server.decodableVersions ?? [];
  const decoded = path.child('decodableVersions');
  const known = new Set(decodable);
  return [
    ...checkedBy(dns1123Subdomain, apiServerID, path.child('apiServerID')),
    ...formErrors(encodingVersion, path.child('encodingVersion')),
    ...decodable.flatMap((version, at) => formErrors(version, decoded.index(at))),
    ...(known.has(encodingVersion)
      ? []
      : [
          invalid(
            decoded,
            goStringSlice(server.decodableVersions ?? undefined),
            `decodableVersions must include encodingVersion ${encodingVersion}`,
          ),
        ]),
    ...servedErrors(server, known, path.child('servedVersions')),
  ];
}

function formErrors(version: string, path: FieldPath): readonly FieldError[] {
  const problem = apiVersionProblem(version);
  return problem === undefined ? [] : [invalid(path, version, problem)];
}

function servedErrors(
  { servedVersions, decodableVersions }: ServerStorageVersion,
  decodable: ReadonlySet<string>,
  path: FieldPath,
): readonly FieldError[] {
  // Said once for all: there may be many of both.
  const list = `[${(decodableVersions ?? []).join(' ')}]`;
  return (servedVersions ?? []).flatMap((version, at) => {
    const own = path.index(at);
    const why = `individual served version : ${version} must be included in decodableVersions : ${list}`;
    return [...formErrors(version, own), ...(decodable.has(version) ? [] : [invalid(own, version, why)])];
  });
}

function commonErrors(
  status: StorageVersionStatus | undefined,
  servers: readonly ServerStorageVersion[],
): readonly FieldError[] {
  const versions = new Set(servers.map(({ encodingVersion = '' }) => encodingVersion));
  const [actual] = versions.size === 1 ? versions : [];
  const stated = status?.commonEncodingVersion;
  if (stated === actual) return [];
  if (actual === undefined)
    return [
      invalid(
        COMMON,
        stated,
        'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      ),
    ];
  return stated === undefined
    ? [invalid(COMMON, null, `the common encoding version is ${actual}`)]
    : [invalid(COMMON, stated, `the actual common encoding version is ${actual}`)];
}

/** The real server leaves out that they are conditions. */
function conditionErrors(conditions: readonly StorageVersionCondition[]): readonly FieldError[] {
  const places = new Map<string, number>();
  return conditions.flatMap((condition, at) => {
    const path = STATUS.index(at);
    const type = condition?.type ?? '';
    const before = places.get(type);
    places.set(type, at);
    const again = `the type of the condition is not unique, it also appears in conditions[${before}]`;
    return [
      ...(before === undefined ? [] : [invalid(path.child('type'), type, again)]),
      ...checkedBy(qualifiedName, type, path.child('type')),
      ...checkedBy(qualifiedName, condition?.status ?? '', path.child('status')),
      ...(condition?.reason ? [] : [required(path.child('reason'), 'reason cannot be empty')]),
      ...(condition?.message ? [] : [required(path.child('message'), 'message cannot be empty')]),
    ];
  });
}
