/**
 * What a run leaves behind, as plain JSON values: the one shape that the runner writes and every report reads.
 * Times are whole virtual microseconds since the start of the run, unless a name says otherwise.
 */

/** `invalid`: the scenario asked for something that makes no sense; `defect`: a bug of the simulator. */
export type Verdict = 'passed' | 'failed' | 'invalid' | 'defect';

export type FailureKind =
  | 'expectation'
  | 'eventually'
  | 'always'
  | 'checker'
  | 'rest'
  | 'invalid'
  | 'invariant'
  | 'nondeterminism'
  | 'crash';

/** One run of one scenario with one seed. */
export interface RunRecord {
  /** `scenario#seed`: the same in every report. */
  readonly key: string;
  readonly scenario: string;
  readonly description?: string;
  readonly file: string;
  readonly seed: number;
  readonly verdict: Verdict;
  /** 16 hexadecimal digits over everything that happened. */
  readonly digest: string;
  readonly virtualMicros: number;
  readonly realMs: number;
  /** Trace records. */
  readonly records: number;
  readonly isDeterminismChecked: boolean;
  readonly steps: readonly StepRecord[];
  readonly failure?: FailureRecord;
  /** What a property has found that was expected to find something. */
  readonly found?: FailureRecord;
  readonly timeline?: Timeline;
}

export interface StepRecord {
  /** `steps[2]`, `steps[3].repeat[0].steps[1]` */
  readonly path: string;
  readonly title: string;
  readonly verb: string;
  readonly from: number;
  readonly to: number;
  readonly outcome: 'passed' | 'failed';
  /** HTTP status of the answer; 0: none came. */
  readonly status?: number;
}

export interface FailureRecord {
  readonly kind: FailureKind;
  /** What should have held, in words. */
  readonly property: string;
  readonly at: number;
  /** What is not as it should be, one line each. */
  readonly details: readonly string[];
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The scenario's lines around the place. */
  readonly excerpt: string;
  /** The last trace records that matter, as lines. */
  readonly trace: readonly string[];
  readonly answer?: unknown;
  /** All objects before and after the failing step, by `kind namespace/name`. */
  readonly before?: Snapshot;
  readonly after?: Snapshot;
  /** Decisions of chance that differ from the default, as far as they are needed for the failure. */
  readonly choices: readonly Choice[];
  readonly allChoices: number;
  /** The smallest scenario that was found to fail alike, as YAML, and how it came to be. */
  readonly smallest?: SmallestScenario;
  /** What causes it, in sentences. */
  readonly explanation?: readonly string[];
  /** Of a property: the scenario that was drawn, as YAML. */
  readonly drawn?: string;
  /** The command that runs this failure again. */
  readonly command?: string;
}

export interface SmallestScenario {
  readonly text: string;
  readonly steps: number;
  readonly faults: number;
  /** Decisions of chance that it names. Undefined: it has those of its seed. */
  readonly choices?: number;
  /** Before. */
  readonly allSteps: number;
  readonly allFaults: number;
  /** Runs that it took. */
  readonly attempts: number;
}

export interface Choice {
  readonly site: string;
  readonly occurrence: number;
  readonly answer: number;
}

export type Snapshot = Readonly<Record<string, unknown>>;

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
  /** Records of the time before that are not shown. */
  readonly omitted: number;
}

export interface Lane {
  readonly actor: string;
  readonly marks: readonly Mark[];
}

export interface Mark {
  readonly at: number;
  readonly kind: string;
  readonly text: string;
  /** With an end it is a span. */
  readonly to?: number;
}
