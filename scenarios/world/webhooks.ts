/** The scripted webhooks of a scenario's cluster, and what is watched about them. */
import {
  type Cluster,
  microseconds,
  ScriptedWebhook,
  type WebhookScript,
  type WireUser,
} from '../../sim/index.ts';
import type { ClusterSpec, Step } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { WebhookRules } from '../../model/api/webhook-rules.ts';

type Spec = NonNullable<ClusterSpec['webhooks']>[number];
type Script = Omit<NonNullable<Step['webhook']>, 'name'>;

const RULES = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];
const ADMINISTRATOR = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const GROUP = '/apis/admissionregistration.k8s.io';
/** Others are taken in by v1beta1 alone, which releases before 1.22 serve. */
const V1_SIDE_EFFECTS: readonly unknown[] = [undefined, 'None', 'NoneOnDryRun'];
const PREFIX = '/registry/';

export class Webhooks {
  readonly #all = new Map<string, ScriptedWebhook>();
  readonly rules: WebhookRules;

  constructor(cluster: Cluster, specs: readonly Spec[], now: () => number) {
    this.rules = new WebhookRules(now);
    if (specs.length === 0) return;
    for (const spec of specs) {
      const failsClosed = spec.configuration?.['failurePolicy'] !== 'Ignore';
      const webhook = new ScriptedWebhook(cluster.simulation, spec.name, scriptOf(spec), (verdict) =>
        this.rules.judged({
          ...verdict,
          failsClosed,
          sideEffects: textOf(spec.configuration?.['sideEffects']) ?? 'None',
        }),
      );
      this.#all.set(spec.name, webhook);
    }
    cluster.storage.watch({
      prefix: PREFIX,
      onEvents: (events) => {
        for (const event of events) {
          if (event.kind === 'put') this.rules.stored(event.entry.key, event.entry.value);
          else this.rules.removed(event.key);
        }
      },
    });
  }

  /** Creates the configurations. @throws ScenarioError */
  configure(user: WireUser, specs: readonly Spec[]): void {
    for (const { name, kind = 'validating', configuration = {} } of specs) {
      if (kind === 'conversion') continue;
      const version = V1_SIDE_EFFECTS.includes(configuration['sideEffects']) ? 'v1' : 'v1beta1';
      const body = {
        metadata: { name },
        webhooks: [
          {
            name,
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: `https://${name}/` },
            rules: RULES,
            ...configuration,
          },
        ],
      };
      const answer = user.request({
        method: 'POST',
        path: `${GROUP}/${version}/${kind}webhookconfigurations`,
        user: ADMINISTRATOR,
        body,
      });
      if (answer?.status !== 201)
        throw new ScenarioError(
          `webhook \`${name}\` was not configured: ${textOf(answer?.body) ?? 'no answer'}`,
        );
    }
  }

  /** @throws ScenarioError when there is no such webhook */
  follow({ name, ...script }: NonNullable<Step['webhook']>): void {
    const webhook = this.#all.get(name);
    if (!webhook)
      throw new ScenarioError(
        `there is no webhook \`${name}\`; there are ${[...this.#all.keys()].join(', ') || 'none'}`,
      );
    webhook.follow(scriptOf(script));
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const scriptOf = ({ answers = 'allow', delay, message, patch, warnings }: Script): WebhookScript => ({
  answers,
  ...(delay !== undefined && { delay: microseconds(delay) }),
  ...(message !== undefined && { message }),
  ...(patch && { patch }),
  ...(warnings && { warnings }),
});
