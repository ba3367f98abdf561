/**
 * The scenario language: every field, what it may hold and what it is for, put together from the parts beside. The
 * reader, the JSON Schema, the reference and the TypeScript types of scenarios all come from here.
 */
import { NODE_RULES } from '../../model/nodes/node-rules.ts';
import { WORKLOAD_RULES } from '../../model/workloads/workload-rules.ts';
import { SCHEDULING_RULES } from '../../model/scheduling/scheduling-rules.ts';
import { API_RULES } from '../../model/api/api-rules.ts';
import { WEBHOOK_RULES } from '../../model/api/webhook-rules.ts';
import { CONTROLLER_RULES } from '../../model/controllers/controller-rules.ts';
import { STORAGE_RULES } from '../../model/storage/storage-rules.ts';
import { READ_RULES } from '../../model/reads/observation.ts';
import { CHECKERS } from './checkers.ts';
import { clusterShape } from './cluster-shape.ts';
import { faultShape } from './fault-shape.ts';
import { type expectShape, propertyShape } from './look-shapes.ts';
import { optional, required, type ValueOf } from './shape.ts';
import { duration, flag, integer, json, list, map, struct, text, word } from './shape-builders.ts';
import { stepShape } from './step-shape.ts';

/** Checks that are on by themselves, and can be switched off. */
export const EXEMPTIBLE = [
  ...READ_RULES,
  ...API_RULES,
  ...WEBHOOK_RULES,
  ...CONTROLLER_RULES,
  ...STORAGE_RULES,
  ...NODE_RULES,
  ...WORKLOAD_RULES,
  ...SCHEDULING_RULES,
] as const;

/** What every kind of document has. */
export const headFields = {
  metadata: struct({
    name: 'Metadata',
    doc: 'What the scenario is called.',
    fields: {
      name: required({
        ...text('Name in reports; unique among the scenarios of a run.'),
        pattern: {
          source: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
          expected: 'a name of lower-case letters, digits, - and .',
        },
      }),
      labels: optional(map('Labels for your own use.', text('Value.'))),
      annotations: optional(map('Notes for your own use.', text('Value.'))),
    },
  }),
  seed: integer('First seed. Default: 1.', 0),
  runs: integer('Runs with consecutive seeds. Default: 1.', 1, 1_000_000),
} as const;

const choiceShape = struct({
  name: 'Choice',
  doc: 'One answer of chance that differs from the default.',
  fields: {
    site: required(text('Where chance is asked.')),
    occurrence: required(integer('How often it was asked there before.', 0)),
    answer: required(integer('The answer, as its distance from the default.', Number.MIN_SAFE_INTEGER)),
  },
});

const twinShape = struct({
  name: 'Twin',
  doc: 'The same run once more, with one thing more going wrong: it has to end in the same state, up to uids, versions, times, drawn names and addresses. Either `restart`, `fault` or `faultless`.',
  fields: {
    faultless: optional(
      flag(
        'Nothing goes wrong in it: its faults are left out. Whatever goes wrong leaves no mark in the end.',
      ),
    ),
    restart: optional(
      text('This actor crashes right after one of its writes, before it knows the answer, and starts anew.'),
    ),
    fault: optional(faultShape),
    for: optional(
      duration('How long it is down, or the fault lasts. Default: 1s for `restart`; else until its end.'),
    ),
    times: optional(integer('At so many instants, each in a run of its own. Default: 3.', 1, 1_000)),
  },
});

export const scenarioShape = struct({
  name: 'Scenario',
  doc: 'A world, what happens in it, and what must hold.',
  fields: {
    apiVersion: required(word('Version of the scenario language.', ['kubesim.dev/v1'])),
    kind: required(word('Kind of the document.', ['Scenario'])),
    metadata: required(headFields.metadata),
    spec: required(
      struct({
        name: 'Spec',
        doc: 'What happens and what must hold.',
        fields: {
          description: optional(text('What the scenario shows.')),
          cluster: optional(clusterShape),
          seed: optional(headFields.seed),
          runs: optional(headFields.runs),
          choices: optional(
            list(
              'Answers of chance, instead of those of the seed: what is not named here gets its default. Shrunk failures have them.',
              choiceShape,
            ),
          ),
          variables: optional(map('Variables that the steps may use as `${name}`.', json('Value.'))),
          checkers: optional(
            list(
              'Ready-made checks of the whole run. Those about reads are always on, those about nodes in every cluster with nodes.',
              word('A ready-made checker.', CHECKERS),
            ),
          ),
          exempt: optional(
            list(
              'Checks that are off, because the scenario shows what breaks them.',
              word('A checker that is on by itself.', EXEMPTIBLE),
            ),
          ),
          twins: optional(list('Runs that have to end as this one does.', twinShape)),
          always: optional(
            list(
              'Properties that hold throughout the run. (The step `always` is for a while.)',
              propertyShape,
            ),
          ),
          steps: required(list('What happens, in order.', stepShape)),
        },
      }),
    ),
  },
});

export type Scenario = ValueOf<typeof scenarioShape>;
export type Step = ValueOf<typeof stepShape>;
export type Expectation = ValueOf<typeof expectShape>;
export type WebhookStep = NonNullable<Step['webhook']>;
export type Upgrade = NonNullable<Step['upgrade']>;
export type MigrateStorage = NonNullable<Step['migrateStorage']>;
export type Restore = NonNullable<Step['restore']>;
export type Fault = ValueOf<typeof faultShape>;
export type ClusterSpec = ValueOf<typeof clusterShape>;
export type Probe = Pick<Step, 'get' | 'list' | 'request' | 'events' | 'server' | 'as' | 'expect'>;
export type Property = ValueOf<typeof propertyShape>;
