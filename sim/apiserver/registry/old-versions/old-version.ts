/**
 * What a version of a built-in kind was that later releases no longer serve: its own defaults, its own shape, and what
 * it took that its heir refuses. All of it is said in terms of the heir, whose rules a kind's file holds. Specification:
 * "Removed API versions by release", the notable changes.
 */
import type { ApiObject } from '../../../api/object.ts';
import type { FieldError } from '../../../api/status.ts';
import type { Conversion, VersionPair } from '../../conversion/conversion.ts';
import type { Features } from '../../machinery.ts';
import type { KindDefinition } from '../define-kind.ts';
import type { DraftObject, HookContext, Strategy, UpdateRules } from '../strategy.ts';

export interface OldVersion {
  /** Sets, where nothing was said, what it meant in this version; the heir's defaults follow. */
  readonly presets?: (draft: DraftObject) => void;
  /** Where it has another shape than its heir. */
  readonly pair?: VersionPair;
  /** Whether it takes what its heir refuses with this error. */
  readonly excuses?: (error: FieldError) => boolean;
}

/** Of one kind, by `apiVersion`. */
export type OldVersions = Readonly<Record<string, OldVersion>>;

/** Conversions of all versions of a kind, those of old included: what is stored may be older than what is served. */
export function conversionOf(own: Conversion | undefined, storage: string, old: OldVersions): Conversion {
  const pairs = Object.entries(old).flatMap(([apiVersion, { pair }]): [string, VersionPair][] =>
    pair ? [[apiVersion, pair]] : [],
  );
  return { storage, versions: { ...Object.fromEntries(pairs), ...own?.versions } };
}

/** The strategy of a kind that is served in old versions, too. */
export function strategyWith(
  { strategy }: Pick<KindDefinition, 'strategy'> & { readonly strategy: Strategy },
  { old, storage, convert }: OldRules,
): Strategy {
  const rules: OldRules = { old, storage, convert };
  const { subresources } = strategy;
  return {
    ...strategy,
    ...excused(strategy, rules),
    defaults: (draft, apiVersion, features) => setDefaults(draft, apiVersion, { strategy, rules, features }),
    ...(strategy.validate && {
      validate: (object, context) =>
        without(strategy.validate?.(object, context) ?? [], old[context.apiVersion]),
    }),
    ...(subresources && {
      subresources: Object.fromEntries(
        Object.entries(subresources).map(([name, own]) => [name, { ...own, ...excused(own, rules) }]),
      ),
    }),
  };
}

export interface OldRules {
  readonly old: OldVersions;
  /** `apiVersion` of the heir. */
  readonly storage: string;
  readonly convert: (object: ApiObject, apiVersion: string) => ApiObject;
}

interface Defaulting {
  readonly strategy: Strategy;
  readonly rules: OldRules;
  readonly features: Features | undefined;
}

function setDefaults(
  draft: DraftObject,
  apiVersion: string,
  { strategy, rules: { old, storage, convert }, features }: Defaulting,
): void {
  const version = old[apiVersion];
  version?.presets?.(draft);
  if (!version?.pair) {
    strategy.defaults?.(draft, apiVersion, features);
    return;
  }
  const asHeir = convert(draft, storage) as DraftObject;
  strategy.defaults?.(asHeir, storage, features);
  replace(draft, convert(asHeir, apiVersion));
}

/** The draft is the request's own, and known to others by its identity. */
export function replace(draft: DraftObject, by: ApiObject): void {
  for (const name of Object.keys(draft)) if (!(name in by)) delete draft[name];
  Object.assign(draft, by);
}

/** On updates, what was wrong before may stay so: it was right in the version in which it came. */
function excused({ validateUpdate }: UpdateRules, { old }: OldRules): Pick<UpdateRules, 'validateUpdate'> {
  if (!validateUpdate) return {};
  return {
    validateUpdate: (object, before, context) => {
      const errors = without(validateUpdate(object, before, context), old[context.apiVersion]);
      return errors.length === 0 ? errors : withoutOldOnes(errors, { validateUpdate, before, context, old });
    },
  };
}

interface Before {
  readonly validateUpdate: NonNullable<UpdateRules['validateUpdate']>;
  readonly before: ApiObject;
  readonly context: HookContext;
  readonly old: OldVersions;
}

function withoutOldOnes(
  errors: readonly FieldError[],
  { validateUpdate, before, context, old }: Before,
): readonly FieldError[] {
  const known = new Set(
    validateUpdate(before, before, context).map(({ field, reason }) => `${field} ${reason}`),
  );
  const mayStay = Object.values(old);
  return errors.filter(
    (error) =>
      !known.has(`${error.field} ${error.reason}`) ||
      !mayStay.some(({ excuses }) => excuses?.(error) === true),
  );
}

const without = (errors: readonly FieldError[], version: OldVersion | undefined): readonly FieldError[] =>
  version?.excuses ? errors.filter((error) => version.excuses?.(error) !== true) : errors;
