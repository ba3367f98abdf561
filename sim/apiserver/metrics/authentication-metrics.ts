/** What is counted of tokens that others have signed, under Kubernetes' own names. Specification: not shown (Kubernetes 1.31). */
import { sha256 } from '../../api/codec/sha256.ts';
import type { MetricFamily } from '../../api/exposition.ts';
import { Histogram } from './instruments.ts';

const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class AuthenticationMetrics {
  readonly #latency = new Histogram({
    name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
    help: '[ALPHA] Latency of jwt authentication operations in seconds. This is the time spent authenticating a token for cache miss only (i.e. when the token is not found in the cache).',
    labels: ['jwt_issuer_hash', 'result'],
    buckets: BUCKETS,
  });

  tokenJudged({
    issuer,
    result,
    seconds,
  }: {
    readonly issuer: string;
    readonly result: 'success' | 'failure';
    readonly seconds: number;
  }): void {
    this.#latency.observe({ jwt_issuer_hash: hashOf(issuer), result }, seconds);
  }

  families(): readonly MetricFamily[] {
    return [this.#latency.family()];
  }
}

/** Names that are nobody's business are counted by their digest. */
export const hashOf = (text: string): string =>
  `sha256:${[...sha256(new TextEncoder().encode(text))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
