/**
 * What a server tells besides its answers: whom its audit names, and what its metrics count, in
 * words that stay the same where only chance is another.
 */
import { createHash } from 'node:crypto';
import type { ApiObject } from '../../api/object.ts';
import { Auditor } from '../../apiserver/audit/auditor.ts';
import { AuditPolicy } from '../../apiserver/audit/policy.ts';
import { PlainWords } from './plain-words.ts';
import type { Told } from './told.ts';

/** One rule of each sort, so that each decides somewhere. */
const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - { level: None, nonResourceURLs: [/healthz*, /version] }
  - { level: Metadata, nonResourceURLs: [/api*, /openapi/v2], omitStages: [] }
  - { level: None, users: [bob], verbs: [get, list] }
  - { level: Request, userGroups: [devs], resources: [{ group: '' }], omitManagedFields: true }
  - { level: Metadata, resources: [{ group: '', resources: [secrets, serviceaccounts/token] }] }
  - { level: Metadata, resources: [{ group: '', resources: [configmaps], resourceNames: [x] }] }
  - { level: RequestResponse, resources: [{ group: apps, resources: ['*/status', '*/scale'] }], omitManagedFields: true }
  - { level: Request, resources: [{ group: apps, resources: [deployments/*] }] }
  - { level: None, verbs: [delete], resources: [{ group: batch, resources: ['*'] }], namespaces: [default] }
  - { level: RequestResponse, verbs: [create, update, patch, delete, deletecollection] }
  - { level: Metadata }
`;
/** How long something took is by chance. */
const OF_DURATIONS = /(?:_bucket\{.*|_sum(?:\{.*)?) [^ ]+$/;

export class Onlooker {
  readonly #words = new PlainWords();
  readonly #digest = createHash('sha256');
  readonly auditor = new Auditor({
    policy: AuditPolicy.parse(POLICY),
    write: (event) => {
      const made: unknown = event['responseObject'];
      if (isObject(made)) this.#words.meet(made);
      for (const [path, value] of this.#words.leaves(event)) this.#digest.update(`${path}=${value}\n`);
    },
  });

  /** `metrics`: as they are shown. */
  told(metrics: string): readonly Told[] {
    return [
      { name: 'audit', said: this.#digest.digest('hex') },
      { name: 'metrics', said: metrics.split('\n').filter((line) => !OF_DURATIONS.test(line)) },
    ];
  }
}

const isObject = (value: unknown): value is ApiObject =>
  typeof value === 'object' &&
  value !== null &&
  'metadata' in value &&
  typeof value.metadata === 'object' &&
  value.metadata !== null;
