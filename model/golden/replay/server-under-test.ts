/**
 * What a replay needs of the server that it examines. Everything is synchronous: the server lives on
 * a virtual clock, and a call returns when it has been answered.
 */
export interface ServerUnderTest {
  /** As messages and documents of the server name it. */
  readonly baseUrl: string;
  /** Milliseconds; only differences count. */
  nowMs(): number;
  /** Lets so much time go by. */
  sleep(ms: number): void;
  /** @throws Error if there is no answer within a minute */
  request(call: Call): Answer;
  /** A stream, or the answer if it is none. */
  stream(call: Call): { readonly answer: Answer; readonly stream?: ByteStream };
}

export interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
}

export interface ByteStream {
  /** The bytes that have arrived and were not read; undefined: none at present. */
  read(): Uint8Array | undefined;
  readonly isEnded: boolean;
  close(): void;
}
