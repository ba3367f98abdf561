/** Random expressions: most are well typed, some are not. Equal draws give equal expressions. */
import type { Draws } from './draws.ts';
import { BROKEN, LEAVES, TEMPLATES, type Type } from './expression-templates.ts';

const TYPES = Object.keys(TEMPLATES) as readonly Type[];

export class RandomExpressions {
  readonly #draws: Draws;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  next(): string {
    if (this.#draws.isOnceIn(20)) return this.#draws.pick(BROKEN) ?? '';
    return this.#of(this.#draws.pick(TYPES) ?? 'bool', 1 + this.#draws.below(4), []);
  }

  /** Most have truth values. */
  nextTruth(): string {
    return this.#of('bool', 1 + this.#draws.below(5), []);
  }

  /** `locals`: variables of comprehensions around, by type. */
  #of(type: Type, depth: number, locals: readonly (readonly [string, Type])[]): string {
    const shaken = this.#draws.isOnceIn(30) ? this.#draws.pick(TYPES) : undefined;
    const wanted = shaken ?? type;
    const own = locals.filter(([, each]) => each === wanted).map(([name]) => name);
    if (own.length > 0 && this.#draws.below(3) === 0) return this.#draws.pick(own) ?? '';
    if (depth <= 0) return this.#draws.pick(LEAVES[wanted]) ?? '';
    const template = this.#draws.pick(TEMPLATES[wanted]) ?? '';
    return template.replace(/<(\w+)(?:\|(\w+):(\w+))?>/g, (_hole, hole: Type, name?: string, of?: Type) => {
      const more = name !== undefined && of !== undefined ? [...locals, [name, of] as const] : locals;
      return this.#of(hole, depth - 1 - this.#draws.below(2), more);
    });
  }
}
