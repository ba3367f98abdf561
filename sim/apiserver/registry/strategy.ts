/**
 * What one kind contributes to the verbs, as hooks in a fixed order; the flow itself is written once
 * in `verbs/`. A hook sees objects in the kind's storage version and canonical form. Drafts are the
 * request's own and may be changed in place; everything else is frozen.
 */
import type { Features } from '../machinery.ts';
import type { CelMetrics } from '../metrics/cel-metrics.ts';
import type { ApiObject } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import type { NameCheck } from '../../api/validation/names.ts';
import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';
import type { TableClock, TableRow } from './table-row.ts';
import type { UserInfo } from '../request/request.ts';

/** What a draft may have in common with the stored object: parts at any depth, or whole members such as its spec. */
export type Sharing = 'parts' | 'members';

/** A readonly shape that its owner may still change. */
export type Draft<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Draft<Item>[]
    : T extends object
      ? { -readonly [Member in keyof T]: Draft<T[Member]> }
      : T;

export type DraftObject = Draft<ApiObject>;

/** What hooks may know of the request and of the server. */
export interface HookContext extends Features {
  readonly nowMs: number;
  readonly user: UserInfo;
  readonly namespace: string;
  /** Of the request; empty: the object itself. */
  readonly subresource: string;
  /** In which the request speaks. */
  readonly apiVersion: string;
  readonly isDryRun: boolean;
  /** Told of rules that are compiled and run; absent: nobody counts. */
  readonly celMetrics?: CelMetrics | undefined;
  /** Present object of another kind, by resource text such as `serviceaccounts` or `deployments.apps`. */
  lookup(resource: string, namespace: string, name: string): ApiObject | undefined;
  /** Every present object of another kind in a namespace (all namespaces if empty). */
  lookupAll(resource: string, namespace: string): readonly ApiObject[];
  warn(text: string): void;
  uuid(): string;
  uint32(): number;
}

/** Paths of members that a write through a (sub)resource never takes over, such as `['status']`. */
export type ResetFields = readonly (readonly string[])[];

/**
 * What a kind's own update validation asks: all rules of an object's metadata, or those of a change of it; what is asked
 * of every object (`rules`), and what of the change (`update`: at the end, unless it is named).
 */
export type UpdateCheck = 'object' | 'change' | 'rules' | 'update';

/** How PUT and PATCH work on the main resource or on a subresource that is a part of the object. */
export interface UpdateRules<T extends ApiObject = ApiObject> {
  prepareForUpdate?(draft: Draft<T>, old: T, context: HookContext): void;
  /** `ofMetadata`: what else is wrong with the change, for rules that ask only what is right so far. */
  validateUpdate?(
    object: T,
    old: T,
    context: HookContext,
    ofMetadata?: readonly FieldError[],
  ): readonly FieldError[];
  warningsOnUpdate?(object: T, old: T, context: HookContext): readonly string[];
  readonly resetFields?: ResetFields;
  /** What `rules` stands for among the checks, if that is not `validate`. */
  rulesOnUpdate?(object: T, old: T, context: HookContext): readonly FieldError[];
  /** In this order, after what is asked of every kind: causes are listed once for each. Absent: a change's. */
  readonly metadataChecks?: readonly UpdateCheck[];
  /** From this release on none of them is asked twice. */
  readonly asksOnceSince?: string;
  /** What later releases ask instead, oldest first. */
  readonly laterChecks?: readonly (readonly [since: string, checks: readonly UpdateCheck[]])[];
  /** Times that are as good as any others, and from which nothing follows: heartbeats of `status.conditions`. */
  readonly renewedTimes?: RenewedTimes;
}

/** A `MicroTime` in a member of the object. */
export interface RenewedTime {
  readonly member: string;
  readonly leaf: string;
}

/** A `Time` in each element of a list, which are told apart by a key. */
export interface RenewedTimes {
  readonly member: string;
  readonly list: string;
  readonly key: string;
  readonly leaf: string;
}

export type DeletePropagation = 'Orphan' | 'Background' | 'Foreground';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: DeletePropagation;
  readonly dryRun?: readonly string[];
}

export interface Strategy<T extends ApiObject = ApiObject> extends UpdateRules<T> {
  readonly nameCheck: NameCheck;
  /** Instead of it, where names follow from the object. */
  nameCheckOf?(object: T): NameCheck;
  /** What later releases ask of names instead. */
  readonly laterNameCheck?: { readonly since: string; readonly check: NameCheck };
  /** A name that is to be generated is no more than what was given of it. */
  readonly generatesNothing?: boolean;
  /** A PUT of a missing object creates it. */
  readonly allowsCreateOnUpdate?: boolean;
  /**
   * On updates its hooks change in place only the object itself, its metadata and what the request has changed. Parts
   * that are as they were (`members`: of the object itself) are shared with the stored one and frozen; hooks may put
   * others in their place.
   */
  readonly sharesUnchanged?: Sharing;
  /** A time that is as good as any other, and from which nothing follows: such as `renewTime` of `spec`. */
  readonly renewedTime?: RenewedTime;
  /** Finalizers may be any qualified names. */
  readonly hasFreeFinalizers?: boolean;
  /** Its own create validation leaves the metadata alone: names may be any segment of a path, or generated none. */
  readonly ignoresMetadataOfNew?: boolean;
  /** A PUT without resourceVersion is refused. */
  readonly requiresVersionOnUpdate?: boolean;
  /** Paths of lists and maps of which an empty one is not the same as none to defaults or messages. */
  readonly tellingEmptyLists?: readonly (readonly string[])[];
  /** Defaults of one version, set on objects of that version before conversion. Without features: those that all servers set. */
  defaults?(draft: Draft<T>, apiVersion: string, features?: Features): void;
  prepareForCreate?(draft: Draft<T>, context: HookContext): void;
  /** Chooses shared things (addresses, ports) after validation, so that validating admission sees them; again with the old object on updates. */
  allocate?(draft: Draft<T>, old: T | undefined, context: HookContext): void;
  /** Asked at the moment of writing where others have written since `allocate`: they may have taken the same. @throws ApiError */
  reallocate?(draft: Draft<T>, old: T | undefined, context: HookContext): void;
  /** What only those see who admit. */
  leaveOut?(draft: Draft<T>): void;
  /** Whether the object is of this kind at all: if not, nobody looks at its metadata. */
  typeErrors?(object: T, context: HookContext): readonly FieldError[];
  /** `ofMetadata`: what else is wrong with the object, for rules that ask only what is right so far. */
  validate?(object: T, context: HookContext, ofMetadata?: readonly FieldError[]): readonly FieldError[];
  canonicalize?(draft: Draft<T>): void;
  /** Of an object as it was created: it is stored otherwise than it is read, and the first change writes it anew. */
  isStoredOtherwise?(object: T): boolean;
  warningsOnCreate?(object: T, context: HookContext): readonly string[];
  warningsOnDelete?(options: DeleteOptions): readonly string[];
  /** DELETE answers with the object that was removed instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Seconds that the object stays in its graceful deletion; absent: the kind knows none. */
  gracefulDeletion?(object: T, options: DeleteOptions): number;
  /** What a DELETE without propagation policy does with dependents (`Background` if absent). */
  readonly defaultPropagation?: DeletePropagation;
  /** What deprecated `orphanDependents: false` stands for (`Background` if absent). */
  readonly propagationWithoutOrphans?: DeletePropagation;
  /** Nothing depends on its objects: no DELETE adds or removes the finalizers that stand for a propagation. */
  readonly hasNoDependents?: boolean;
  /** May this deletion go through at all? Throws an ApiError. Of a whole collection nobody asks. */
  beforeDelete?(object: T, context: HookContext): void;
  /** Values of the kind's field labels beyond metadata.name and metadata.namespace. */
  selectableFields?(object: T, apiVersion: string): Readonly<Record<string, string>>;
  /** Subresources that are a part of the object, by name (`status`, `ephemeralcontainers`, …). */
  readonly subresources?: Readonly<Record<string, UpdateRules<T>>>;
  /** Cells of the object's row in a Table; absent: name and creation time. */
  tableRow?(object: T, clock: TableClock): TableRow;
  /** Rows of a page are in this order, and where it is the same in that of their names; absent: of names alone. */
  rowRank?(object: T): number;
  /** Columns that are not in the catalog (custom resources). */
  readonly tableColumns?: readonly PrinterColumn[];
  /** Annotations that conversion makes of other members: metadata alone does not have them. */
  readonly versionedAnnotations?: readonly string[];
  /** The Table of an empty list leaves its columns out. */
  readonly hidesColumnsOfNothing?: boolean;
  /** Seconds after which the stored object expires (events). */
  readonly timeToLiveSeconds?: number;
  /** The finalization phase is more than metadata.finalizers (namespaces). */
  hasOtherFinalizers?(object: T): boolean;
  /** Its first deletion does not say what becomes of dependents (definitions). */
  readonly marksWithoutPropagation?: boolean;
  /** Changes the draft when deletion has been requested (namespaces: phase Terminating). */
  markTerminating?(draft: Draft<T>): void;
}
