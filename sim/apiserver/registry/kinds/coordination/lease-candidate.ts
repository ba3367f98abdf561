/** LeaseCandidate: who would hold a lease, of which version it is, and how the holder is to be chosen. */
import { compareVersions, type SemanticVersion, versionOf } from '../../../../api/semantic-version.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  LeaseCandidate,
  LeaseCandidateSpec,
} from '../../../../api/types/coordination-k8s-io-v1alpha1.ts';
import { checkedBy, immutable, oneOf } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { configMapKey, qualifiedName } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';

const SPEC = FieldPath.of('spec');
const LEASE_NAME = SPEC.child('leaseName');
const BINARY = SPEC.child('binaryVersion');
const EMULATION = SPEC.child('emulationVersion');
/** The one strategy that the server knows itself; it asks for both versions. */
const OLDEST = 'OldestEmulationVersion';

export const leaseCandidateKind = defineKind<LeaseCandidate>({
  group: 'coordination.k8s.io',
  resource: 'leasecandidates',
  strategy: {
    nameCheck: configMapKey,
    hasFreeFinalizers: true,
    allowsCreateOnUpdate: true,
    requiresVersionOnUpdate: true,
    validate: specErrors,
    metadataChecks: ['change', 'rules', 'update'],
    validateUpdate: ({ spec }, old) => {
      const name = spec?.leaseName ?? '';
      return immutable(name === (old.spec?.leaseName ?? ''), name, LEASE_NAME);
    },
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [
        metadata.name,
        spec?.leaseName ?? '',
        spec?.binaryVersion ?? '',
        spec?.emulationVersion ?? '',
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

function specErrors({ spec }: LeaseCandidate): readonly FieldError[] {
  const strategies = spec?.preferredStrategies ?? [];
  return [
    ...(spec?.leaseName ? [] : [required(LEASE_NAME)]),
    ...versionErrors(spec),
    ...strategies.flatMap((name, at) =>
      strategyErrors(name, SPEC.child('preferredStrategies').index(at).child('strategy')),
    ),
    ...(strategies.includes(OLDEST) ? missingVersionErrors(spec) : []),
  ];
}

const NOTHING: SemanticVersion = { numbers: [0, 0, 0], before: [] };

/** What cannot be read counts as the least that there is. */
const readVersion = (text: string | undefined): SemanticVersion => versionOf(text ?? '') ?? NOTHING;

function versionErrors(spec: LeaseCandidateSpec | undefined): readonly FieldError[] {
  const { binaryVersion: binary, emulationVersion: emulation } = spec ?? {};
  const misread = (text: string | undefined, path: FieldPath): readonly FieldError[] =>
    text && !versionOf(text) ? [invalid(path, text, 'must be a valid semantic version')] : [];
  const isOlder = binary && compareVersions(readVersion(binary), readVersion(emulation)) < 0;
  return [
    ...misread(emulation, EMULATION),
    ...misread(binary, BINARY),
    ...(isOlder ? [invalid(BINARY, binary, 'must be greater than or equal to `emulationVersion`')] : []),
  ];
}

const strategyErrors = (name: string, path: FieldPath): readonly FieldError[] =>
  name.includes('/') ? checkedBy(qualifiedName, name, path) : oneOf(name, [OLDEST], path);

function missingVersionErrors(spec: LeaseCandidateSpec | undefined): readonly FieldError[] {
  const missing = (text: string | undefined, path: FieldPath): readonly FieldError[] =>
    compareVersions(readVersion(text), NOTHING) === 0
      ? [required(path, `must be specified when \`strategy\` is '${OLDEST}'`)]
      : [];
  return [...missing(spec?.binaryVersion, BINARY), ...missing(spec?.emulationVersion, EMULATION)];
}
