/**
 * The rules about controllers of the user's own, by name: what every controller has to keep, whatever it is for. They
 * watch from outside who changes what, and know nothing of the controller's code.
 */
import { type Exchange, isDryRun, isWrite, objectIn } from '../api/exchange.ts';
import type { StoredChange } from '../api/object-marks.ts';
import {
  ControllersAreIdempotent,
  ControllersConverge,
  ControllersDoNotFight,
  ControllersDoNotSpin,
} from './convergence.ts';
import {
  Cast,
  type ControllerRule,
  type ControllerRuleSettings,
  type Deed,
  isBesides,
  isController,
  type Scene,
} from './observation.ts';
import { ControllersDeleteWhatTheySaw } from './former-lives.ts';
import { ControllersDeleteTheirOwn, ControllersOverwriteNothingUnseen } from './others-work.ts';
import { ControllersKeepStatusCurrent, ControllersLeaveNoGarbage, ControllersLetGo } from './promises.ts';

const RULES = {
  'controllers-converge': ControllersConverge,
  'controllers-are-idempotent': ControllersAreIdempotent,
  'controllers-do-not-spin': ControllersDoNotSpin,
  'controllers-do-not-fight': ControllersDoNotFight,
  'controllers-overwrite-nothing-unseen': ControllersOverwriteNothingUnseen,
  'controllers-delete-their-own': ControllersDeleteTheirOwn,
  'controllers-delete-what-they-saw': ControllersDeleteWhatTheySaw,
  'controllers-let-go': ControllersLetGo,
  'controllers-keep-status-current': ControllersKeepStatusCurrent,
  'controllers-leave-no-garbage': ControllersLeaveNoGarbage,
} as const satisfies Readonly<Record<string, new (settings: ControllerRuleSettings) => ControllerRule>>;

export type ControllerRuleName = keyof typeof RULES;
export const CONTROLLER_RULES = Object.keys(RULES) as readonly ControllerRuleName[];

/** What each promises, for readers. */
export const CONTROLLER_RULE_TEXTS: Readonly<Record<ControllerRuleName, string>> = {
  'controllers-converge':
    'a controller does not change one object 8 times while nobody else changes anything that it looks at.',
  'controllers-are-idempotent':
    'a controller that is started anew when nothing has changed for 30 s writes nothing, until something changes.',
  'controllers-do-not-spin':
    'a controller does not ask the same more than 150 times in 10 s when nothing changes by it.',
  'controllers-do-not-fight':
    'no two writers, one of them a controller, set a field to this and that, or make and delete an object, again and again.',
  'controllers-overwrite-nothing-unseen':
    'a controller that names no resourceVersion does not take back what another wrote meanwhile.',
  'controllers-delete-their-own':
    'a controller deletes only what it has made or changed, what belongs to that, and what is named after what it looks at.',
  'controllers-delete-what-they-saw':
    'a controller does not take what it deletes, or the owner of that, for a former object of the same name.',
  'controllers-let-go':
    'a finalizer that a controller put on an object is gone 5 minutes after the object is to go, if nothing hinders it and no dependant is still going.',
  'controllers-keep-status-current':
    'where a controller tells `status.observedGeneration`, it tells the newest one within 2 minutes.',
  'controllers-leave-no-garbage':
    'what a controller made for an object (by names, labels and annotations), and what has no owner, is gone 2 minutes after that object.',
};

export interface ControllerViolation {
  readonly rule: ControllerRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

/** Nobody answers later: whose change it was is not known then. */
const UNCLAIMED_AFTER = 45_000_000;
const MOST = 50;

type Pending = StoredChange & { readonly at: number };

export class ControllerRules {
  readonly #rules: readonly ControllerRule[];
  readonly #cast: Cast;
  readonly #violations: ControllerViolation[] = [];
  /** Changes that no answer has told of yet, by key. */
  readonly #pending = new Map<string, Pending[]>();

  constructor(names: readonly ControllerRuleName[], scene: Scene) {
    this.#cast = new Cast(scene);
    this.#rules = names.map((name) => {
      const report = (at: number, message: string): void => {
        if (this.#violations.length < MOST) this.#violations.push({ rule: name, at, message });
      };
      return new RULES[name]({ report, cast: this.#cast });
    });
  }

  /** So far, in the order in which they were found. */
  get violations(): readonly ControllerViolation[] {
    return this.#violations;
  }

  stored(instant: number, key: string, change: StoredChange): void {
    if (!this.#cast.scene.hasControllers) return;
    const pending = this.#pending.get(key);
    if (pending) pending.push({ ...change, at: instant });
    else this.#pending.set(key, [{ ...change, at: instant }]);
  }

  /** Somebody looks at what is below a prefix of keys. */
  read(client: string, prefix: string): void {
    if (isController(client)) this.#cast.touch(client, prefix);
  }

  /** A client was told of an object with this uid. */
  shown(client: string, uid: string): void {
    for (const rule of this.#rules) rule.shown?.(client, uid);
  }

  answered(exchange: Exchange): void {
    const { client, key } = exchange;
    // Whoever asks for one object knows what is beside it.
    if (isController(client) && key !== undefined)
      this.#cast.touch(client, key.slice(0, key.lastIndexOf('/') + 1));
    const deeds = isWrite(exchange) && !isDryRun(exchange) ? this.#claimed(exchange) : [];
    for (const deed of deeds) this.#tell(deed);
    if (deeds.length > 0 || !isController(client) || (key !== undefined && isBesides(key))) return;
    for (const rule of this.#rules) rule.askedInVain?.(exchange);
  }

  ended(client: string, at: number): void {
    if (isController(client)) for (const rule of this.#rules) rule.ended?.(client, at);
  }

  began(client: string, at: number): void {
    if (isController(client)) for (const rule of this.#rules) rule.began?.(client, at);
  }

  /** Something was broken, or mended. */
  disturbed(at: number): void {
    this.#cast.disturbed(at);
  }

  look(now: number): void {
    for (const [key, changes] of this.#pending)
      for (const change of changes.filter(({ at }) => now - at > UNCLAIMED_AFTER))
        this.#tell(this.#taken(key, change, undefined));
    for (const rule of this.#rules) rule.look?.(now);
  }

  /** Changes that come of a request: what its answer shows, or all of its time if nobody else was at it. */
  #claimed(exchange: Exchange): readonly Deed[] {
    const { key = '', revisionBefore, revisionAfter, isAlone, method } = exchange;
    const version = Number(objectIn(exchange)?.metadata.resourceVersion ?? -1);
    const changes = (this.#pending.get(key) ?? []).filter(
      ({ revision, after }) =>
        revision > revisionBefore &&
        revision <= revisionAfter &&
        (isAlone || revision === version || (method === 'DELETE' && after === undefined)),
    );
    return changes.map((change) => this.#taken(key, change, exchange));
  }

  #taken(key: string, change: Pending, exchange: Exchange | undefined): Deed {
    const left = (this.#pending.get(key) ?? []).filter((each) => each !== change);
    if (left.length > 0) this.#pending.set(key, left);
    else this.#pending.delete(key);
    const { at, revision, before, after } = change;
    return { at, key, revision, client: exchange?.client ?? '', before, after, exchange };
  }

  #tell(deed: Deed): void {
    this.#cast.note(deed);
    for (const rule of this.#rules) rule.changed?.(deed);
  }
}
