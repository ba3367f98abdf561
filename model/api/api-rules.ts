/**
 * The rules about the API that watch whole runs, by name: every answer to every client is held against what was truly
 * stored, and every change of every object against what no write may do. Together with the rules about reads they are
 * the reference model of the API: what it promises, told once more without how it is kept.
 */
import { type Exchange, nameOf } from './exchange.ts';
import * as marks from './object-marks.ts';
import type { MarkRule } from './object-marks.ts';
import { appliesByOwners, managedFieldsAreTrue } from './ownership.ts';
import { Past } from './past.ts';
import { lateWritersSayWhomTheyMean, uidsAreHeeded } from './meant.ts';
import * as refusals from './refusals.ts';
import { restartsOnlyGrow } from './restarts.ts';
import { endsAreRemembered, startsStay } from './told-once.ts';
import * as writes from './writes.ts';
import type { ApiRule } from './writes.ts';

const OF_EXCHANGES = {
  'answers-are-true': writes.answersAreTrue,
  'creates-what-is-new': writes.createsWhatIsNew,
  'updates-replace': writes.updatesReplace,
  'patches-change-what-they-name': writes.patchesChangeWhatTheyName,
  'status-stays-apart': writes.statusStaysApart,
  'deletes-what-was-meant': writes.deletesWhatWasMeant,
  'finalizers-hold': writes.finalizersHold,
  'refusals-are-just': refusals.refusalsAreJust,
  'refusals-change-nothing': refusals.refusalsChangeNothing,
  'servers-do-not-fail': refusals.serversDoNotFail,
  'writes-are-sent-once': refusals.writesAreSentOnce,
  'uids-are-heeded': uidsAreHeeded,
  'late-writers-say-whom-they-mean': lateWritersSayWhomTheyMean,
  'reads-are-true': refusals.readsAreTrue,
  'deprecated-warns': refusals.deprecatedWarns,
  'applies-by-owners': appliesByOwners,
  'managed-fields-are-true': managedFieldsAreTrue,
  'restarts-only-grow': restartsOnlyGrow,
  'starts-stay': startsStay,
  'ends-are-remembered': endsAreRemembered,
} as const satisfies Readonly<Record<string, ApiRule>>;

const OF_CHANGES = {
  'identity-stays': marks.identityStays,
  'versions-are-of-their-change': marks.versionsAreOfTheirChange,
  'going-goes-on': marks.goingGoesOn,
  'generation-moves-with-spec': marks.generationMovesWithSpec,
  'pods-go-forward': marks.podsGoForward,
  'conditions-turn-honestly': marks.conditionsTurnHonestly,
  'foreign-marks-stay': marks.foreignMarksStay,
  'writes-say-something': marks.writesSaySomething,
} as const satisfies Readonly<Record<string, MarkRule>>;

export type ApiRuleName = keyof typeof OF_EXCHANGES | keyof typeof OF_CHANGES;
export const API_RULES = [...Object.keys(OF_EXCHANGES), ...Object.keys(OF_CHANGES)] as readonly ApiRuleName[];

export interface ApiViolation {
  readonly rule: ApiRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

/** So many are enough to know what is wrong. */
const MOST = 50;

export class ApiRules {
  readonly #ofExchanges: readonly (readonly [ApiRuleName, ApiRule])[];
  readonly #ofChanges: readonly (readonly [ApiRuleName, MarkRule])[];
  readonly #past = new Past();
  readonly #violations: ApiViolation[] = [];

  constructor(names: readonly ApiRuleName[]) {
    const chosen = new Set<string>(names);
    const only = <R>(rules: Readonly<Record<string, R>>): readonly (readonly [ApiRuleName, R])[] =>
      Object.entries(rules).flatMap(([name, rule]) =>
        chosen.has(name) ? [[name as ApiRuleName, rule]] : [],
      );
    this.#ofExchanges = only<ApiRule>(OF_EXCHANGES);
    this.#ofChanges = only<MarkRule>(OF_CHANGES);
  }

  /** So far, in the order in which they were found. */
  get violations(): readonly ApiViolation[] {
    return this.#violations;
  }

  stored(instant: number, key: string, change: marks.StoredChange): void {
    this.#past.stored(key, change);
    const former = this.#past.of(key).at(-2);
    const isFirst = former !== undefined && former.before === undefined;
    const known = { ...change, isFirst };
    for (const [name, rule] of this.#ofChanges) {
      const message = rule(known);
      if (message !== undefined) this.#report(name, instant, `${key} at ${change.revision}: ${message}`);
    }
  }

  answered(exchange: Exchange): void {
    if (exchange.client.endsWith('~twin')) this.#past.hasTwins = true;
    for (const [name, rule] of this.#ofExchanges) {
      const message = rule(exchange, this.#past);
      if (message !== undefined)
        this.#report(name, exchange.at, `${exchange.client}: ${nameOf(exchange)} ${message}`);
    }
  }

  #report(rule: ApiRuleName, instant: number, message: string): void {
    if (this.#violations.length < MOST) this.#violations.push({ rule, at: instant, message });
  }
}
