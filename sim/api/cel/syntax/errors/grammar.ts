/**
 * The grammar as a network of states, as the generated parser of cel-go walks it. Only there to name errors: which
 * tokens were possible where, and where reading goes on, follows from its shape.
 */
import type { Token } from '../lexer.ts';

/** As messages list them, in this order. */
export const TOKEN_NAMES = [
  '<EOF>',
  ...[
    "'=='",
    "'!='",
    "'in'",
    "'<'",
    "'<='",
    "'>='",
    "'>'",
    "'&&'",
    "'||'",
    "'['",
    "']'",
    "'{'",
    "'}'",
    "'('",
  ],
  ...[
    "')'",
    "'.'",
    "','",
    "'-'",
    "'!'",
    "'?'",
    "':'",
    "'+'",
    "'*'",
    "'/'",
    "'%'",
    "'true'",
    "'false'",
    "'null'",
  ],
  ...['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER'],
] as const;

const NUMBERS: ReadonlyMap<string, number> = new Map(TOKEN_NAMES.map((name, index) => [name, index]));
const KIND_NAMES: Readonly<Partial<Record<Token['kind'], string>>> = {
  end: '<EOF>',
  float: 'NUM_FLOAT',
  int: 'NUM_INT',
  uint: 'NUM_UINT',
  string: 'STRING',
  bytes: 'BYTES',
  identifier: 'IDENTIFIER',
};

export const tokenNumber = ({ kind, text }: Token): number =>
  NUMBERS.get(KIND_NAMES[kind] ?? `'${text}'`) ?? -1;

export type Transition =
  | { readonly kind: 'epsilon'; readonly to: State }
  | { readonly kind: 'token'; readonly to: State; readonly tokens: ReadonlySet<number> }
  | { readonly kind: 'precedence'; readonly to: State; readonly least: number }
  | { readonly kind: 'rule'; readonly to: State; readonly rule: Rule; readonly precedence: number };

/** What the state is in the way a reader recovers. */
export type StateRole = 'plain' | 'choice' | 'loop-back';

export interface State {
  readonly id: number;
  readonly role: StateRole;
  readonly transitions: Transition[];
  /** Of the rule that ends here. */
  ends?: Rule;
}

export interface Rule {
  readonly name: string;
  readonly start: State;
  readonly stop: State;
  body: Part;
  /** States that follow where the rule is used. */
  readonly followers: State[];
}

/** What is read, bound to its states. */
export type Part =
  | { readonly kind: 'token'; readonly state: State; readonly tokens: ReadonlySet<number> }
  | { readonly kind: 'rule'; readonly state: State; readonly rule: Rule; readonly precedence: number }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly state: State; readonly parts: readonly Part[] }
  | { readonly kind: 'optional'; readonly state: State; readonly part: Part; readonly isPredicted: boolean }
  | {
      readonly kind: 'loop';
      readonly state: State;
      readonly back: State;
      readonly part: Part;
      readonly isPredicted: boolean;
      /** The body is read at least once. */
      readonly isPlus: boolean;
    };

type Make = (from: State, to: State) => Part;

class Builder {
  readonly rules = new Map<string, Rule>();
  #count = 0;

  state(role: StateRole = 'plain'): State {
    return { id: this.#count++, role, transitions: [] };
  }

  rule(name: string): Rule {
    const known = this.rules.get(name);
    if (known) return known;
    const rule: Rule = {
      name,
      start: this.state(),
      stop: this.state(),
      body: { kind: 'sequence', parts: [] },
      followers: [],
    };
    rule.stop.ends = rule;
    this.rules.set(name, rule);
    return rule;
  }

  define(name: string, make: Make): void {
    const rule = this.rule(name);
    rule.body = make(rule.start, rule.stop);
  }

  token(...names: readonly string[]): Make {
    const tokens = new Set(names.map((name) => NUMBERS.get(name) ?? NUMBERS.get(`'${name}'`) ?? -1));
    return (from, to) => {
      const state = this.state();
      epsilon(from, state);
      state.transitions.push({ kind: 'token', to, tokens });
      return { kind: 'token', state, tokens };
    };
  }

  use(name: string, precedence = 0): Make {
    return (from, to) => {
      const state = this.state();
      const rule = this.rule(name);
      epsilon(from, state);
      state.transitions.push({ kind: 'rule', to, rule, precedence });
      rule.followers.push(to);
      return { kind: 'rule', state, rule, precedence };
    };
  }

  sequence(...makes: readonly Make[]): Make {
    return (from, to) => {
      const parts: Part[] = [];
      let at = from;
      for (const [index, make] of makes.entries()) {
        const next = index === makes.length - 1 ? to : this.state();
        parts.push(make(at, next));
        at = next;
      }
      return { kind: 'sequence', parts };
    };
  }

  /** Only with at least this precedence. */
  atLeast(least: number, make: Make): Make {
    return (from, to) => {
      const inner = this.state();
      from.transitions.push({ kind: 'precedence', to: inner, least });
      return make(inner, to);
    };
  }

  choice(...makes: readonly Make[]): Make {
    return (from, to) => {
      const state = this.state('choice');
      epsilon(from, state);
      const parts = makes.map((make) => {
        const begin = this.state();
        epsilon(state, begin);
        return make(begin, to);
      });
      return { kind: 'choice', state, parts };
    };
  }

  optional(make: Make, isPredicted = false): Make {
    return (from, to) => {
      const state = this.state('choice');
      epsilon(from, state);
      const begin = this.state();
      epsilon(state, begin);
      const part = make(begin, to);
      epsilon(state, to);
      return { kind: 'optional', state, part, isPredicted };
    };
  }

  star(make: Make, isPredicted = false): Make {
    return (from, to) => {
      const state = this.state('choice');
      const back = this.state('loop-back');
      epsilon(from, state);
      const begin = this.state();
      epsilon(state, begin);
      const part = make(begin, back);
      epsilon(back, state);
      epsilon(state, to);
      return { kind: 'loop', state, back, part, isPredicted, isPlus: false };
    };
  }

  plus(make: Make, isPredicted = false): Make {
    return (from, to) => {
      const state = this.state('choice');
      const back = this.state('loop-back');
      epsilon(from, state);
      const part = make(state, back);
      epsilon(back, state);
      epsilon(back, to);
      return { kind: 'loop', state, back, part, isPredicted, isPlus: true };
    };
  }
}

function epsilon(from: State, to: State): void {
  from.transitions.push({ kind: 'epsilon', to });
}

function built(): Rule {
  const b = new Builder();
  const [dot, comma, minus, question, colon] = ['.', ',', '-', '?', ':'].map((text) => b.token(text)) as [
    Make,
    Make,
    Make,
    Make,
    Make,
  ];
  const [identifier, open, close] = [b.token('IDENTIFIER'), b.token('('), b.token(')')];
  const expr = b.use('expr');
  const args = b.optional(b.use('exprList'));
  const separated = (make: Make, isPredicted: boolean): Make =>
    b.sequence(make, b.star(b.sequence(comma, make), isPredicted));
  const entry = (key: string): Make => b.sequence(b.use(key), colon, expr);
  const enclosed = (list: string, end: string): Make =>
    b.sequence(b.optional(b.use(list)), b.optional(comma), b.token(end));
  b.define('start', b.sequence(expr, b.token('<EOF>')));
  b.define(
    'expr',
    b.sequence(b.use('conditionalOr'), b.optional(b.sequence(question, b.use('conditionalOr'), colon, expr))),
  );
  b.define(
    'conditionalOr',
    b.sequence(b.use('conditionalAnd'), b.star(b.sequence(b.token('||'), b.use('conditionalAnd')))),
  );
  b.define(
    'conditionalAnd',
    b.sequence(b.use('relation'), b.star(b.sequence(b.token('&&'), b.use('relation')))),
  );
  const relations = b.token('<', '<=', '>=', '>', '==', '!=', 'in');
  b.define(
    'relation',
    b.sequence(b.use('calc'), b.star(b.atLeast(1, b.sequence(relations, b.use('relation', 2))), true)),
  );
  const products = b.atLeast(2, b.sequence(b.token('*', '/', '%'), b.use('calc', 3)));
  const sums = b.atLeast(1, b.sequence(b.token('+', '-'), b.use('calc', 2)));
  b.define('calc', b.sequence(b.use('unary'), b.star(b.choice(products, sums), true)));
  b.define(
    'unary',
    b.choice(
      b.use('member'),
      b.sequence(b.plus(b.token('!')), b.use('member')),
      b.sequence(b.plus(minus, true), b.use('member')),
    ),
  );
  const select = b.atLeast(3, b.sequence(dot, b.optional(question), identifier));
  const call = b.atLeast(2, b.sequence(dot, identifier, open, args, close));
  const index = b.atLeast(1, b.sequence(b.token('['), b.optional(question), expr, b.token(']')));
  b.define('member', b.sequence(b.use('primary'), b.star(b.choice(select, call, index), true)));
  b.define(
    'primary',
    b.choice(
      b.sequence(b.optional(dot), identifier, b.optional(b.sequence(open, args, close), true)),
      b.sequence(open, expr, close),
      b.sequence(b.token('['), enclosed('listInit', ']')),
      b.sequence(b.token('{'), enclosed('mapInitializerList', '}')),
      b.sequence(
        b.optional(dot),
        identifier,
        b.star(b.sequence(dot, identifier)),
        b.token('{'),
        enclosed('fieldInitializerList', '}'),
      ),
      b.use('literal'),
    ),
  );
  b.define('exprList', separated(expr, false));
  b.define('listInit', separated(b.use('optExpr'), true));
  b.define('fieldInitializerList', separated(entry('optField'), true));
  b.define('optField', b.sequence(b.optional(question), identifier));
  b.define('mapInitializerList', separated(entry('optExpr'), true));
  b.define('optExpr', b.sequence(b.optional(question), expr));
  b.define(
    'literal',
    b.choice(
      b.sequence(b.optional(minus), b.token('NUM_INT')),
      b.token('NUM_UINT'),
      b.sequence(b.optional(minus), b.token('NUM_FLOAT')),
      ...['STRING', 'BYTES', 'true', 'false', 'null'].map((name) => b.token(name)),
    ),
  );
  return b.rule('start');
}

let start: Rule | undefined;

/** Built when the first expression is wrong. */
export const startRule = (): Rule => (start ??= built());
