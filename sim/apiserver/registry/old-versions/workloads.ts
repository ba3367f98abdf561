/**
 * Workloads of `extensions/v1beta1`, `apps/v1beta1` and `apps/v1beta2`. What of them has no place in `apps/v1` is kept
 * in annotations: the revision to roll back to, and the generation of a template.
 */
import { ROLLBACK_TO } from '../../../api/former-members.ts';
import type { FieldError } from '../../../api/status.ts';
import type { VersionPair } from '../../conversion/conversion.ts';
import type { DraftObject } from '../strategy.ts';
import type { OldVersion, OldVersions } from './old-version.ts';
import { defined, fieldsOf, inVersion, ownFieldsOf, type OwnFields, withAnnotation } from './parts.ts';

const V1 = 'apps/v1';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** As much as there can be: nothing is bounded. */
const ALL = 2_147_483_647;

/** Selectors could be changed; since `apps/v1beta2` they are for ever. */
const selectorsChange = ({ field, message }: FieldError): boolean =>
  field === 'spec.selector' && message.endsWith('field is immutable');

const specOf = (draft: DraftObject): OwnFields => (draft['spec'] ??= {}) as OwnFields;

/** What the template's labels say, the object's selector and its labels say, too. */
function followTemplate(draft: DraftObject): void {
  const spec = specOf(draft);
  const { labels } = fieldsOf(fieldsOf(spec['template'])['metadata']);
  if (labels === undefined || labels === null) return;
  spec['selector'] ??= { matchLabels: { ...(labels as Record<string, string>) } };
  if (Object.keys(draft.metadata.labels ?? {}).length === 0)
    draft.metadata.labels = { ...(labels as Record<string, string>) };
}

function rollsBy(draft: DraftObject, amount: number | string): void {
  const strategy = ownFieldsOf((specOf(draft)['strategy'] ??= {}));
  strategy['type'] ||= 'RollingUpdate';
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = ownFieldsOf((strategy['rollingUpdate'] ??= {}));
  rolling['maxUnavailable'] ??= amount;
  rolling['maxSurge'] ??= amount;
}

function updatesOnDelete(draft: DraftObject): void {
  const strategy = ownFieldsOf((specOf(draft)['updateStrategy'] ??= {}));
  strategy['type'] ||= 'OnDelete';
}

const withRollback = (apiVersion: string): VersionPair => ({
  toStorage: (object) => {
    const { rollbackTo, ...spec } = fieldsOf(object['spec']);
    const revision =
      rollbackTo === undefined ? undefined : String(Number(fieldsOf(rollbackTo)['revision'] ?? 0));
    return withAnnotation(
      inVersion(object, V1, object['spec'] === undefined ? {} : { spec }),
      ROLLBACK_TO,
      revision,
    );
  },
  fromStorage: (object) => {
    const revision = object.metadata.annotations?.[ROLLBACK_TO];
    if (revision === undefined || !/^-?[0-9]+$/.test(revision)) return inVersion(object, apiVersion);
    const spec = {
      ...fieldsOf(object['spec']),
      rollbackTo: defined({ revision: Number(revision) || undefined }),
    };
    return withAnnotation(inVersion(object, apiVersion, { spec }), ROLLBACK_TO, undefined);
  },
});

const withTemplateGeneration = (apiVersion: string): VersionPair => ({
  toStorage: (object) => {
    const { templateGeneration, ...spec } = fieldsOf(object['spec']);
    const moved = inVersion(object, V1, object['spec'] === undefined ? {} : { spec });
    return withAnnotation(moved, TEMPLATE_GENERATION, String(Number(templateGeneration ?? 0)));
  },
  fromStorage: (object) => {
    const generation = object.metadata.annotations?.[TEMPLATE_GENERATION];
    if (generation === undefined || !/^-?[0-9]+$/.test(generation)) return inVersion(object, apiVersion);
    const templateGeneration = Number(generation);
    const spec = { ...fieldsOf(object['spec']), ...(templateGeneration !== 0 && { templateGeneration }) };
    return withAnnotation(inVersion(object, apiVersion, { spec }), TEMPLATE_GENERATION, undefined);
  },
});

const deployments: OldVersions = {
  'extensions/v1beta1': {
    pair: withRollback('extensions/v1beta1'),
    excuses: selectorsChange,
    presets: (draft) => {
      followTemplate(draft);
      rollsBy(draft, 1);
      const spec = specOf(draft);
      spec['revisionHistoryLimit'] ??= ALL;
      spec['progressDeadlineSeconds'] ??= ALL;
    },
  },
  'apps/v1beta1': {
    pair: withRollback('apps/v1beta1'),
    excuses: selectorsChange,
    presets: (draft) => {
      followTemplate(draft);
      specOf(draft)['revisionHistoryLimit'] ??= 2;
    },
  },
  'apps/v1beta2': {},
};

const daemonSets: OldVersions = {
  'extensions/v1beta1': {
    pair: withTemplateGeneration('extensions/v1beta1'),
    excuses: selectorsChange,
    presets: (draft) => {
      followTemplate(draft);
      updatesOnDelete(draft);
    },
  },
  'apps/v1beta2': {},
};

const statefulSets: OldVersions = {
  'apps/v1beta1': {
    presets: (draft) => {
      followTemplate(draft);
      updatesOnDelete(draft);
    },
  },
  'apps/v1beta2': {},
};

const replicaSets: OldVersions = {
  'extensions/v1beta1': { excuses: selectorsChange, presets: followTemplate },
  'apps/v1beta2': {},
};

const SAME: OldVersion = {};

export const WORKLOADS: Readonly<Record<string, OldVersions>> = {
  'deployments.apps': deployments,
  'daemonsets.apps': daemonSets,
  'statefulsets.apps': statefulSets,
  'replicasets.apps': replicaSets,
  'controllerrevisions.apps': { 'apps/v1beta1': SAME, 'apps/v1beta2': SAME },
};
