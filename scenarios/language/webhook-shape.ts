/** The part of the scenario language that says which webhooks there are, and how they answer. */
import { WEBHOOK_ANSWERS } from '../../sim/index.ts';
import { optional, required } from './shape.ts';
import { duration, json, list, mapping, struct, text, word } from './shape-builders.ts';

const scriptFields = {
  answers: optional(
    word(
      'What it does with each review: `garbage` answers no JSON, `wrong-uid` that of another review, `fail` with 500, `hang` never. Default: allow.',
      WEBHOOK_ANSWERS,
    ),
  ),
  delay: optional(duration('How long it takes for each answer. Default: 0.')),
  message: optional(text('Why it denies.')),
  patch: optional(list('Operations of the JSON patch that it answers with.', json('An operation.'))),
  warnings: optional(list('What it warns of with each answer.', text('A warning.'))),
} as const;

export const webhookShape = struct({
  name: 'Webhook',
  doc: 'An admission or conversion webhook: an actor of the network under its name, which faults can crash, cut off and slow down. The configuration of an admission webhook is created before the first step, with the same name; a conversion webhook is called by whatever definition names its URL, changes nothing but the version, and fails with its message where it denies.',
  fields: {
    name: required(
      text('Host name, such as `guard.example.com`: of the actor, the webhook, and its configuration.'),
    ),
    kind: optional(word('Default: validating.', ['validating', 'mutating', 'conversion'])),
    ...scriptFields,
    configuration: optional(
      mapping(
        'Members of the webhook in its configuration, such as `failurePolicy`, `timeoutSeconds`, `objectSelector` or `rules`. Default: creations and updates of config maps, what the API defaults for the rest.',
      ),
    ),
  },
});

export const webhookStepShape = struct({
  name: 'WebhookStep',
  doc: 'From now on a webhook of the cluster answers otherwise; what is not said has its default.',
  fields: { name: required(text('Name of the webhook.')), ...scriptFields },
});
