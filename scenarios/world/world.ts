/**
 * A world as scenarios see it: an API to send requests to, time to let go by, things to break, and a trace to look
 * at. One world serves one run. What it is made of is its own affair.
 */
import type { History } from '../../model/history.ts';
import type { RestProblem as Problem, RestRuleName } from '../../model/rest/rest-rules.ts';
import type { Decision } from '../../sim/index.ts';
import type { RuleName } from '../language/checkers.ts';
import type { Choice, Snapshot } from '../../reports/run-record.ts';
import type {
  ClusterSpec,
  Fault,
  MigrateStorage,
  Restore,
  Upgrade,
  WebhookStep,
} from '../language/scenario-shape.ts';
import type { Json } from '../language/shape.ts';

export interface WorldRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** Whose agent is asked; undefined: the API. */
  readonly node?: string | undefined;
  /** Which API server is asked; undefined: the first. */
  readonly server?: string | undefined;
  /** Who asks; undefined: an administrator. */
  readonly user?: string | undefined;
}

export interface Answer {
  /** 0: no answer came. */
  readonly status: number;
  /** By lower-case name; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json | undefined;
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
  readonly events?: readonly Json[];
  readonly ended?: boolean;
}

/** An open watch. */
export interface WorldWatch {
  /** Everything it has received so far. */
  readonly events: readonly Json[];
  readonly isEnded: boolean;
  close(): void;
}

/** An entry of the trace. */
export interface WorldRecord {
  readonly at: number;
  readonly actor: string;
  readonly kind: string;
  readonly subject: string;
  /** The record on one line. */
  readonly text: string;
  /** The event during which it was written, and the one that led to that; 0: none. */
  readonly event: number;
  readonly cause: number;
  /** What it reads or changes: its actor, and the object that it is about, where that is known. */
  readonly touches: readonly string[];
}

/** Something that is not so at rest; `busy`: somebody goes on writing. */
export type RestProblem =
  Problem | { readonly rule: 'writing-ceases' | 'restarts-change-nothing'; readonly message: string };

type Eventual<T> = T | Promise<T>;

export interface World {
  /** Virtual microseconds since the start. */
  readonly now: number;
  /** The same instant as RFC 3339 text. */
  readonly nowText: string;
  /** Lets time go by until the answer is there. */
  request(request: WorldRequest): Eventual<Answer>;
  /** Sends all at the same instant, and lets time go by until all answers are there. */
  requestAll(requests: readonly WorldRequest[]): Eventual<readonly Answer[]>;
  /** A watch that was refused has only the answer. */
  watch(request: WorldRequest): Eventual<{ readonly answer: Answer; readonly watch?: WorldWatch }>;
  /** Carries a checkpoint to another machine. */
  restore(restore: Restore): Eventual<Answer>;
  /** A webhook of the cluster answers otherwise from now on. @throws ScenarioError when there is none of that name */
  webhook(script: WebhookStep): Eventual<void>;
  /** Another release, rolling. @throws ScenarioError when there is no such actor, or its settings mean nothing there */
  upgrade(upgrade: Upgrade): Eventual<void>;
  /** @throws ScenarioError when no such API server runs */
  migrateStorage(migration: MigrateStorage): Eventual<void>;
  advance(micros: number): Eventual<void>;
  /** @throws ScenarioError when there is nothing of that name, or the fault is not possible now. */
  /** At once, or after so many microseconds while time goes on; with a length it ends by itself. */
  fault(fault: Fault, when?: FaultTime): Eventual<void>;
  /** Lets time go by until the cluster rests as it should, or a rule about controllers is broken, at most so long. What is not right then. */
  settle(within: number, exempt?: readonly RestRuleName[]): Eventual<readonly RestProblem[]>;
  /** Everybody crashes and starts again. What became another by that. */
  beginAnew(): Eventual<readonly RestProblem[]>;
  /** The last records, oldest first. */
  tail(count: number): readonly WorldRecord[];
  readonly recordCount: number;
  readonly digest: string;
  /** Of the storage. */
  readonly revision: number;
  /** All changes so far; none unless the world was asked to keep them. */
  readonly history: History;
  readonly choices: readonly Choice[];
  /** Looks at what has happened up to now: all that the rules about nodes have found. */
  findViolations(): readonly RuleViolation[];
  /** Lets time go by until nobody but heartbeats writes for a while, or ten minutes. */
  rest(): Eventual<void>;
  /** All stored objects by `kind namespace/name`. */
  objects(): Snapshot;
  /** Who changed something without knowing how things stood; only where the world was made to keep it. */
  readonly deedsOnOldViews?: readonly DeedOnOldView[] | undefined;
  /** What there is beside objects; only where the world was made to be looked into. */
  readonly inspection?: Inspection | undefined;
  close(): void;
}

/** What a client had last been told of an object that had become another since. */
export interface OldView {
  /** `Pod default/web-0`. */
  readonly title: string;
  readonly revision: number;
  /** Who told it. */
  readonly server: string;
  /** Virtual microseconds since it became another. */
  readonly lag: number;
  /** `at 57`, `gone`, `another, created at 57`. */
  readonly stood: string;
}

/** A change that somebody made who knew something only as it had been. */
export interface DeedOnOldView {
  readonly at: number;
  /** Name of an actor. */
  readonly client: string;
  /** `deleted PersistentVolumeClaim default/data-web-0`. */
  readonly did: string;
  /** Of the object. */
  readonly name: string;
  /** Revision of the storage at which what it changed was made; undefined: it was made by this. */
  readonly created?: number;
  readonly views: readonly OldView[];
}

/** A world that stands still, looked into. */
export interface Inspection {
  /** One line for each actor. */
  actors(): readonly string[];
  /** Everything that is known of an actor; undefined: there is none. */
  actor(name: string): readonly string[] | undefined;
  /** Messages that have left one and not reached the other. */
  flight(): readonly string[];
}

/** A change of an object as it is stored. */
export interface Seen {
  readonly change: 'created' | 'changed' | 'marked' | 'deleted';
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Looks on while a run goes by, and says when it is to stop. */
export interface Halt {
  /** An object has changed. */
  seen(change: Seen): void;
  /** Asked before each event, with the instant of what comes. True: no further. */
  isEnough(next: number): boolean;
}

/** Virtual microseconds. */
export interface FaultTime {
  readonly delay?: number | undefined;
  /** Counted from when it strikes. Absent: until it is undone. */
  readonly length?: number | undefined;
}

/** Told of every record, to compare two runs: 32 bits of the running digest, and the record when asked. */
export interface RecordObserver {
  recorded(lane: number, record: () => WorldRecord): void;
}

/** A rule did not hold. */
export interface RuleViolation {
  readonly rule: RuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

export interface WorldOptions {
  readonly cluster: ClusterSpec;
  readonly seed: number;
  /** Where the files of its programs are looked for; default: where the process runs. */
  readonly directory?: string | undefined;
  /** Whether `history` is wanted. */
  readonly keepsHistory?: boolean | undefined;
  /** Rules about nodes that watch the run. */
  readonly rules?: readonly RuleName[] | undefined;
  /** Answers of chance of an earlier run, instead of the seed's. */
  readonly replay?: readonly Choice[] | undefined;
  /** From this instant on another seed answers: the same past, another future. */
  readonly branch?: { readonly at: number; readonly seed: number } | undefined;
  /** How many records `tail` can show. */
  readonly keeps?: number | undefined;
  /** Whether `deedsOnOldViews` is wanted. */
  readonly keepsViews?: boolean | undefined;
  readonly observer?: RecordObserver | undefined;
  /** Told of each decision of a `random` schedule. */
  readonly onDecision?: ((decision: Decision) => void) | undefined;
  /** The run stops where this says so, with the error `Halted`. */
  readonly halt?: Halt | undefined;
  /** False: API servers examine every write as a whole, with the same result. */
  readonly writesByDelta?: boolean | undefined;
}

export type MakeWorld = (options: WorldOptions) => World;
