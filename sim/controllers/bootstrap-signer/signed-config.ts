/**
 * What the bootstrap signer makes of `kube-public/cluster-info`: a signature of its `kubeconfig` by each bootstrap token
 * that may sign, so that whoever has a token knows the cluster by it. Signatures of tokens that are gone go. Pure.
 */
import { encodeBase64 } from '../../api/codec/base64.ts';
import { hmacSha256 } from '../../api/codec/sha256.ts';
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import { leftOf, tokenDatum } from '../token-cleaner/bootstrap-token.ts';

const KUBECONFIG = 'kubeconfig';
const SIGNATURE = 'jws-kubeconfig-';
const SECRET_NAME = /^bootstrap-token-([a-z0-9]{6})$/;
const BYTES = new TextEncoder();

/** Undefined: it says what it should, or has nothing to be signed. */
export function signedConfig(
  config: ConfigMap,
  tokens: readonly Secret[],
  nowMs: number,
): ConfigMap | undefined {
  const content = config.data?.[KUBECONFIG];
  if (content === undefined) return undefined;
  const present = Object.entries(config.data ?? {});
  const others = present.filter(([key]) => !key.startsWith(SIGNATURE));
  const wanted = tokens.flatMap((secret) => {
    const id = signingId(secret, nowMs);
    if (id === undefined) return [];
    return [
      [`${SIGNATURE}${id}`, detachedSignature(content, id, tokenDatum(secret, 'token-secret'))] as const,
    ];
  });
  const isSigned =
    present.length === others.length + wanted.length &&
    wanted.every(([key, signature]) => config.data?.[key] === signature);
  return isSigned ? undefined : { ...config, data: Object.fromEntries([...others, ...wanted]) };
}

/** Of a token that may sign; it is in the name of its secret, too. */
function signingId(secret: Secret, nowMs: number): string | undefined {
  const named = SECRET_NAME.exec(secret.metadata.name ?? '')?.[1];
  const maySign =
    tokenDatum(secret, 'token-id') === named &&
    tokenDatum(secret, 'token-secret') !== '' &&
    tokenDatum(secret, 'usage-bootstrap-signing') === 'true' &&
    leftOf(secret, nowMs) !== 0;
  return maySign ? named : undefined;
}

/** A web signature (JWS) by HS256 without its payload, which the other side has. */
function detachedSignature(content: string, id: string, secret: string): string {
  const header = urlText(BYTES.encode(JSON.stringify({ alg: 'HS256', kid: id })));
  const signed = `${header}.${urlText(BYTES.encode(content))}`;
  return `${header}..${urlText(hmacSha256(BYTES.encode(secret), BYTES.encode(signed)))}`;
}

const urlText = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
