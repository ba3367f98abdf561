/**
 * ClusterTrustBundle: which authorities are trusted, either by everybody or by those who ask for a signer, which then stands
 * at the beginning of the name and never changes.
 */
import { certificateFacts } from '../../../../api/certificates/certificate-reading.ts';
import { type PemBlock, pemBlocks } from '../../../../api/certificates/pem.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ClusterTrustBundle } from '../../../../api/types/certificates-k8s-io-v1alpha1.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { type NameCheck, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { signerNameErrors } from './signer-name.ts';

const SIGNER_NAME = FieldPath.of('spec', 'signerName');
const TRUST_BUNDLE = FieldPath.of('spec', 'trustBundle');

export const clusterTrustBundleKind = defineKind<ClusterTrustBundle>({
  group: 'certificates.k8s.io',
  resource: 'clustertrustbundles',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    nameCheckOf: ({ spec }) => nameCheckFor(spec?.signerName ?? ''),
    requiresVersionOnUpdate: true,
    metadataChecks: ['object', 'rules', 'change', 'update'],
    validate: (bundle) => [...signerErrors(bundle), ...anchorErrors(bundle.spec?.trustBundle ?? '')],
    rulesOnUpdate: (bundle, old) => [
      ...signerErrors(bundle),
      // What is trusted already is not read again.
      ...(bundle.spec?.trustBundle === old.spec?.trustBundle
        ? []
        : anchorErrors(bundle.spec?.trustBundle ?? '')),
    ],
    validateUpdate: ({ spec }, old) => {
      const signer = spec?.signerName ?? '';
      return immutable(signer === (old.spec?.signerName ?? ''), signer, SIGNER_NAME);
    },
    selectableFields: ({ spec }) => ({ 'spec.signerName': spec?.signerName ?? '' }),
  },
});

/** The real server's name of a signer has no slash in names of objects. */
const nameCheckFor =
  (signer: string): NameCheck =>
  (name, isPrefix) => {
    if (signer === '')
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : nameIsDnsSubdomain(name, isPrefix);
    const prefix = `${signer.replaceAll('/', ':')}:`;
    return name.startsWith(prefix)
      ? nameIsDnsSubdomain(name.slice(prefix.length), isPrefix)
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
  };

const signerErrors = ({ spec }: ClusterTrustBundle): readonly FieldError[] =>
  spec?.signerName ? signerNameErrors(spec.signerName, SIGNER_NAME) : [];

/** Bundles are long: messages do not show them. */
const wrong = (detail: string): FieldError => invalid(TRUST_BUNDLE, '<value omitted>', detail);

function anchorErrors(pem: string): readonly FieldError[] {
  const blocks = pemBlocks(pem);
  if (blocks.length === 0) return [wrong('at least one trust anchor must be provided')];
  const problems = blocks.map(anchorProblem);
  const unreadable = problems.flatMap((problem, index) =>
    problem === undefined ? [] : [wrong(`entry ${index} ${problem}`)],
  );
  return [...unreadable, ...repetitionErrors(blocks, problems)];
}

function anchorProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const facts = certificateFacts(bytes);
  if (!facts) return 'does not parse as X.509';
  return facts.isAuthority ? undefined : 'does not have the CA bit set';
}

/** Of those that can be read. */
function repetitionErrors(
  blocks: readonly PemBlock[],
  problems: readonly (string | undefined)[],
): readonly FieldError[] {
  const places = new Map<string, number[]>();
  for (const [index, block] of blocks.entries()) {
    if (problems[index] !== undefined) continue;
    const key = block.bytes.join();
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  }
  return [...places.values()].flatMap((indices) =>
    indices.length > 1 ? [wrong(`duplicate trust anchor (indices [${indices.join(' ')}])`)] : [],
  );
}
