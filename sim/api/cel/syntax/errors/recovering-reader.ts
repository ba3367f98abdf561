/**
 * Reads tokens that do not fit the grammar and says what is wrong with them: a token too much, one that is missing,
 * or one that cannot stand there; then goes on where it can. The strategy and the words are those of ANTLR.
 */
import type { Token } from '../lexer.ts';
import type { SourceError } from '../source.ts';
import { END_OF_RULE, expectedTokens, nextTokens, recoveryTokens, type Use } from './following.ts';
import { type Part, type Rule, startRule, type State, TOKEN_NAMES, tokenNumber } from './grammar.ts';
import { predict } from './predict.ts';

const MOST_ERRORS = 100;
const MOST_RECOVERIES = 30;
const DEEPEST = 2_000;

/** The rule cannot be read on. */
class Stuck extends Error {
  readonly report: () => void;
  constructor(report: () => void) {
    super();
    this.report = report;
  }
}

/** Enough has been said. */
class Enough extends Error {}

export function syntaxErrors(
  tokens: readonly Token[],
  textBetween: (from: Token, to: Token) => string,
): readonly SourceError[] {
  const reader = new Reader(tokens, textBetween);
  try {
    reader.readAll();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return reader.errors;
}

class Reader {
  readonly errors: SourceError[] = [];
  readonly #tokens: readonly Token[];
  readonly #numbers: readonly number[];
  readonly #textBetween: (from: Token, to: Token) => string;
  /** Predictions that one token decides. */
  readonly #known = new Map<string, number>();
  #at = 0;
  #state: State;
  #use: Use;
  #isRecovering = false;
  #lastErrorAt = -1;
  #lastErrorStates = new Set<State>();
  #recoveries = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], textBetween: (from: Token, to: Token) => string) {
    this.#tokens = tokens;
    this.#numbers = tokens.map(tokenNumber);
    this.#textBetween = textBetween;
    const rule = startRule();
    this.#state = rule.start;
    this.#use = { rule, after: undefined, precedence: 0, around: undefined };
  }

  readAll(): void {
    this.#body(startRule());
  }

  #number(ahead = 0): number {
    return this.#numbers[Math.min(this.#at + ahead, this.#numbers.length - 1)] ?? 0;
  }

  get #token(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)];
    return token ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #consume(): void {
    if (this.#at < this.#tokens.length - 1) this.#at++;
  }

  #body(rule: Rule): void {
    if (++this.#depth > DEEPEST) throw new Enough();
    try {
      this.#read(rule.body);
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      error.report();
      this.#recover();
    }
    this.#depth--;
  }

  #read(part: Part): void {
    switch (part.kind) {
      case 'token':
        this.#state = part.state;
        this.#match(part.tokens);
        break;
      case 'rule':
        this.#invoke(part);
        break;
      case 'sequence':
        for (const each of part.parts) this.#read(each);
        break;
      case 'choice':
        this.#choose(part);
        break;
      case 'optional':
        this.#state = part.state;
        this.#sync();
        if (this.#goesIn(part.state, part.part, part.isPredicted)) this.#read(part.part);
        break;
      case 'loop':
        this.#loop(part);
    }
  }

  #invoke({ state, rule, precedence }: Extract<Part, { kind: 'rule' }>): void {
    this.#state = state;
    const around = this.#use;
    const [transition] = state.transitions;
    this.#use = { rule, after: transition?.to, precedence, around };
    this.#body(rule);
    this.#use = around;
    this.#state = state;
  }

  #choose({ state, parts }: Extract<Part, { kind: 'choice' }>): void {
    this.#state = state;
    this.#sync();
    const chosen = parts[this.#predict(state)];
    if (chosen) this.#read(chosen);
  }

  #loop({ state, back, part, isPredicted, isPlus }: Extract<Part, { kind: 'loop' }>): void {
    this.#state = state;
    this.#sync();
    let isFirst = isPlus;
    while (isFirst || this.#goesIn(isPlus ? back : state, part, isPredicted)) {
      isFirst = false;
      const before = this.#at;
      this.#read(part);
      this.#state = back;
      this.#sync();
      if (this.#at === before && this.#number() === 0) break;
    }
  }

  /** Whether the first way is taken, not the one past it. */
  #goesIn(state: State, part: Part, isPredicted: boolean): boolean {
    if (isPredicted) return this.#predict(state) === 0;
    return firstTokens(part).has(this.#number());
  }

  #predict(state: State): number {
    const { precedence } = this.#use;
    const key = `${state.id}/${precedence}/${this.#number()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    let furthest = 0;
    const ways = state.transitions.map(({ to }) => to);
    const prediction = predict(ways, precedence, (ahead) => {
      furthest = Math.max(furthest, ahead);
      return this.#number(ahead);
    });
    if ('choice' in prediction) {
      if (furthest === 0) this.#known.set(key, prediction.choice);
      return prediction.choice;
    }
    const from = this.#token;
    const to = this.#tokens[Math.min(this.#at + prediction.failedAt, this.#tokens.length - 1)] ?? from;
    throw new Stuck(() => {
      const text = from.kind === 'end' ? '<EOF>' : this.#textBetween(from, to);
      this.#report(to, noAlternative(escaped(text)));
    });
  }

  #match(wanted: ReadonlySet<number>): void {
    if (wanted.has(this.#number())) this.#matched();
    else this.#recoverInline();
  }

  #matched(): void {
    this.#isRecovering = false;
    this.#lastErrorAt = -1;
    this.#lastErrorStates.clear();
    this.#consume();
  }

  #report(at: Token, message: string): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    if (this.errors.length >= MOST_ERRORS) {
      this.errors.push({ at: at.at, message: `Syntax error: More than ${MOST_ERRORS} syntax errors` });
      throw new Enough();
    }
    this.errors.push({ at: at.at, message: `Syntax error: ${message}` });
  }

  #expected(): ReadonlySet<number> {
    return expectedTokens(this.#state, this.#use);
  }

  /** One token is too much, or one is missing; else the rule is stuck. */
  #recoverInline(): void {
    this.#countRecovery();
    if (this.#deletesOne()) {
      this.#matched();
      return;
    }
    const next = this.#state.transitions[0]?.to;
    if (next && expectedTokens(next, this.#use).has(this.#number())) {
      this.#report(this.#token, `missing ${listed(this.#expected())} at ${shown(this.#token)}`);
      return;
    }
    throw this.#mismatch();
  }

  #mismatch(): Stuck {
    const [token, state, use] = [this.#token, this.#state, this.#use];
    return new Stuck(() =>
      this.#report(token, `mismatched input ${shown(token)} expecting ${listed(expectedTokens(state, use))}`),
    );
  }

  /** The next token would fit: this one is dropped. */
  #deletesOne(): boolean {
    if (!this.#expected().has(this.#number(1)) || this.#number() === 0) return false;
    this.#reportUnwanted();
    this.#consume();
    this.#isRecovering = false;
    return true;
  }

  #reportUnwanted(): void {
    this.#report(this.#token, `extraneous input ${shown(this.#token)} expecting ${listed(this.#expected())}`);
  }

  /** Looks ahead before a decision, so that a wrong token is told of where it stands. */
  #sync(): void {
    if (this.#isRecovering) return;
    const next = nextTokens(this.#state);
    if (next.has(END_OF_RULE) || next.has(this.#number())) return;
    if (this.#state.role === 'choice') {
      if (this.#deletesOne()) return;
      throw this.#mismatch();
    }
    if (this.#state.role !== 'loop-back') return;
    this.#reportUnwanted();
    const until = new Set([...this.#expected(), ...recoveryTokens(this.#use)]);
    this.#consumeUntil(until);
  }

  #countRecovery(): void {
    if (this.#recoveries++ < MOST_RECOVERIES) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${MOST_RECOVERIES}`;
    this.errors.push({ at: this.#token.at, message });
    throw new Enough();
  }

  #recover(): void {
    this.#countRecovery();
    if (this.#lastErrorAt === this.#at && this.#lastErrorStates.has(this.#state)) this.#consume();
    this.#lastErrorAt = this.#at;
    this.#lastErrorStates.add(this.#state);
    this.#consumeUntil(recoveryTokens(this.#use));
  }

  #consumeUntil(tokens: ReadonlySet<number>): void {
    while (this.#number() !== 0 && !tokens.has(this.#number())) this.#consume();
  }
}

const firstOf = new Map<Part, ReadonlySet<number>>();

function firstTokens(part: Part): ReadonlySet<number> {
  const before = firstOf.get(part);
  if (before) return before;
  const first = part.kind === 'sequence' && part.parts[0] ? firstTokens(part.parts[0]) : ownTokens(part);
  firstOf.set(part, first);
  return first;
}

const ownTokens = (part: Part): ReadonlySet<number> =>
  part.kind === 'token' ? part.tokens : part.kind === 'rule' ? nextTokens(part.rule.start) : new Set();

const escaped = (text: string): string =>
  text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');

const shown = ({ text }: Token): string => `'${escaped(text)}'`;

function listed(tokens: ReadonlySet<number>): string {
  const names = [...tokens].sort((a, b) => a - b).map((token) => TOKEN_NAMES[token] ?? '');
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** A keyword where a name is wanted. */
function noAlternative(text: string): string {
  const keyword = /^.(true|false|null)$/.exec(text)?.[1];
  return keyword === undefined
    ? `no viable alternative at input '${text}'`
    : `mismatched input '${keyword}' expecting IDENTIFIER`;
}
