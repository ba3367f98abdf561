/** The form of a recorded case: a short script of requests with the answers that a real server gave. */

export type Profile = 'default' | 'alpha' | 'quick-compaction' | 'full';

export interface GoldenCase {
  /** `area/what-it-shows`. */
  readonly name: string;
  readonly area: string;
  readonly profile?: Profile;
  /** false: the case needs no namespace of its own. */
  readonly namespace?: boolean;
  /** Pointers that no step compares. */
  readonly ignore?: readonly string[];
  /** Run first, must succeed (409 counts as success), not compared. */
  readonly setup?: readonly Step[];
  readonly steps: readonly Step[];
  /** Run last, may fail. */
  readonly cleanup?: readonly Step[];
}

/** Exactly one action, and options beside it. */
export interface Step {
  readonly request?: RequestStep;
  readonly watchOpen?: WatchOpen;
  readonly watchRead?: WatchRead;
  readonly watchClose?: { readonly id: string };
  /** Milliseconds. */
  readonly sleep?: number;
  /** Variable name → body pointer or `header:Name`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Compare the envelope of a binary body, whatever its content type. */
  readonly expectBinary?: boolean;
  readonly repeatUntil?: Condition | readonly Condition[];
  readonly filterItems?: ItemFilter;
  /** Only these parts of the body count. */
  readonly select?: readonly string[];
  readonly ignore?: readonly string[];
  readonly unordered?: true | readonly string[];
  /** Headers that count beside the usual ones. */
  readonly recordHeaders?: readonly string[];
  readonly response?: Recorded | null;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface RequestStep {
  readonly method: string;
  readonly path: string;
  readonly query?: Query;
  /** null removes a header that is sent by default. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** `admin` if left out; `anonymous` sends no token. */
  readonly as?: string;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  /** `application/json` if left out; empty sends none. */
  readonly contentType?: string;
}

export interface WatchOpen {
  readonly id: string;
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly as?: string;
}

export interface WatchRead {
  readonly id: string;
  readonly events?: number;
  readonly untilType?: string;
  readonly untilClosed?: boolean;
  readonly quietMs?: number;
  readonly timeoutMs?: number;
  readonly skipTypes?: readonly string[];
}

export interface Condition {
  readonly pointer?: string;
  readonly equals?: unknown;
  readonly status?: number;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
  /** An answer with this status says that waiting is in vain; so is then every later wait of the case. */
  readonly inVainAt?: number;
}

export interface ItemFilter {
  readonly pointer: string;
  readonly equals: string | readonly string[];
  /** Pointer to the array if it is neither `/items` nor `/rows`. */
  readonly list?: string;
}

export interface WatchEvent {
  readonly type?: string;
  readonly object?: unknown;
  readonly bytes?: Uint8Array;
}

/** What the server answered to one step, as it came. */
export interface RawResponse {
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBytes?: Uint8Array;
  readonly events?: readonly WatchEvent[];
  /** The server ended the stream during this read. */
  readonly closed?: boolean;
  /** Why the step could not do what it says. */
  readonly problem?: string;
}

/** A response with the values replaced that differ from run to run. */
export interface Recorded {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  bodyText?: string;
  bodyBinary?: unknown;
  events?: unknown[];
  closed?: boolean;
  problem?: string;
}

export type Variables = Record<string, unknown>;
