/**
 * A recorded run as it stood at some instant, for somebody who asks: what there was, who knew what, what was under way; and
 * on from there, event by event, to another moment, or into another future. Every move runs the run again.
 */
import { stringify } from 'yaml';
import { formatVirtual } from '../../reports/run-summary.ts';
import { parseDuration } from '../../scenarios/language/duration.ts';
import { didYouMean } from '../../scenarios/language/suggest.ts';
import { endDifferences } from '../../scenarios/runner/end-state.ts';
import { type Past, reach, type Reached, type Stop } from '../../scenarios/runner/going-back.ts';
import { isKind, knownKinds, parseStop } from './stop-expression.ts';

export const PROMPT_HELP = `objects [KIND]     names of all objects, or of those of a kind
show KIND NAME     an object as it is stored; NAME may be NAMESPACE/NAME, KIND a short name
actors             who there is, and how they are
actor NAME         an actor: its state, links, containers, what its informers know, what it waits for
flight             messages on their way
trace [N]          the last N records; default 20
step [N]           on by N events; default 1
run TIME           on, or back, to an instant such as 12.5s; +5s: on by so much
break WHAT         on to the next moment of that kind, such as \`deleted pods web-0\`
branch SEED TIME   what is different after TIME from here if chance answers by another seed;
                   with two seeds: how these two futures differ from one another
help               this
quit               the end`;

/** What was asked for makes no sense. */
export class BadCommand extends Error {
  override readonly name = 'BadCommand';
}

type Command = (words: readonly string[]) => Promise<string> | string;

export class ReplayPrompt {
  readonly #past: Past;
  #reached: Reached;
  readonly #commands: Readonly<Record<string, Command>> = {
    objects: ([kind]) => this.#objects(kind),
    show: ([kind, name]) => this.#show(kind, name),
    actors: () => this.#inspection.actors().join('\n'),
    actor: ([name]) => this.#actor(name),
    flight: () => this.#inspection.flight().join('\n') || 'nothing is on its way',
    trace: ([count]) => this.#trace(wholeOf(count, 20)),
    step: ([count]) => this.#go({ events: this.#reached.events + wholeOf(count, 1) }),
    run: ([time]) => this.#go({ until: this.#instant(time) }),
    break: (words) => this.#break(words.join(' ')),
    branch: (words) => this.#branch(words),
    help: () => PROMPT_HELP,
  };

  private constructor(past: Past, reached: Reached) {
    this.#past = past;
    this.#reached = reached;
  }

  static async at(past: Past, stop: Stop): Promise<ReplayPrompt> {
    return new ReplayPrompt(past, await reach(past, stop));
  }

  close(): void {
    this.#reached.world.close();
  }

  /** Where it stands. */
  get place(): string {
    const { world, at, isOver } = this.#reached;
    return `${isOver ? 'the run is over at' : 'at'} ${formatVirtual(at)}, revision ${world.revision}`;
  }

  /** No moment has stopped it. */
  get isOver(): boolean {
    return this.#reached.isOver;
  }

  /** Undefined: the end. @throws BadCommand */
  async answer(line: string): Promise<string | undefined> {
    const [verb = '', ...words] = line.trim().split(/\s+/);
    if (verb === 'quit' || verb === 'exit') return undefined;
    const command = this.#commands[verb];
    if (command && Object.hasOwn(this.#commands, verb)) return command(words);
    throw new BadCommand(
      `there is no command \`${verb}\`${didYouMean(verb, [...Object.keys(this.#commands), 'quit'])}; \`help\` tells all`,
    );
  }

  /** All that there is at once. */
  whole(): string {
    return [
      this.place,
      '',
      'objects:',
      this.#objects(undefined),
      '',
      'actors:',
      this.#inspection.actors().join('\n'),
      '',
      'in flight:',
      this.#inspection.flight().join('\n') || 'nothing',
    ].join('\n');
  }

  get #inspection() {
    const { inspection } = this.#reached.world;
    if (!inspection) throw new BadCommand('this world cannot be looked into');
    return inspection;
  }

  #objects(kind: string | undefined): string {
    const names = Object.keys(this.#reached.world.objects()).filter(
      (name) => kind === undefined || isKind(name.slice(0, name.indexOf(' ')), kind),
    );
    if (names.length > 0) return names.join('\n');
    if (kind !== undefined) this.#checkKind(kind);
    return `there are no ${kind ?? 'objects'} ${this.place}`;
  }

  #show(kind: string | undefined, name: string | undefined): string {
    if (kind === undefined || name === undefined) throw new BadCommand('expected: show KIND NAME');
    const found = Object.entries(this.#reached.world.objects()).filter(([title]) => {
      const space = title.indexOf(' ');
      const called = title.slice(space + 1);
      return isKind(title.slice(0, space), kind) && (called === name || called.endsWith(`/${name}`));
    });
    if (found.length === 0) {
      this.#checkKind(kind);
      throw new BadCommand(`there is no ${kind} ${name} ${this.place}`);
    }
    return found
      .map(([, object]) => stringify(shownObject(object), { aliasDuplicateObjects: false }).trimEnd())
      .join('\n---\n');
  }

  /** What nobody knows may be mistyped. @throws BadCommand */
  #checkKind(word: string): void {
    const kinds = Object.keys(this.#reached.world.objects()).map((title) =>
      title.slice(0, title.indexOf(' ')),
    );
    const known = knownKinds();
    const lower = word.toLowerCase();
    if (known.some((each) => each.toLowerCase() === lower) || kinds.some((kind) => isKind(kind, word)))
      return;
    throw new BadCommand(`there is no kind \`${word}\`${didYouMean(lower, known)}`);
  }

  #actor(name: string | undefined): string {
    if (name === undefined) throw new BadCommand('expected: actor NAME; `actors` tells all');
    const told = this.#inspection.actor(name);
    if (told) return told.join('\n');
    const names = this.#inspection.actors().map((line) => line.slice(0, line.indexOf(':')));
    throw new BadCommand(`there is no actor \`${name}\`${didYouMean(name, names)}; \`actors\` tells all`);
  }

  #trace(count: number): string {
    return this.#reached.world
      .tail(count)
      .map(({ text }) => text)
      .join('\n');
  }

  async #go(stop: Stop): Promise<string> {
    const reached = await reach(this.#past, stop);
    this.#reached.world.close();
    this.#reached = reached;
    const [last] = reached.world.tail(1);
    return `${this.place}${last ? `; last: ${last.text}` : ''}`;
  }

  async #break(text: string): Promise<string> {
    const stop = parseStop(text);
    if (stop.kind === 'wrong') throw new BadCommand(stop.message);
    const place = await this.#go({ when: stop.moment, after: this.#reached.events });
    return this.#reached.isOver ? `there is no such moment any more: ${place}` : place;
  }

  /** The same past, and so long two futures. */
  async #branch(words: readonly string[]): Promise<string> {
    const time = words.at(-1);
    const seeds = words.slice(0, -1).map(Number);
    if (seeds.length < 1 || seeds.length > 2 || !seeds.every((seed) => Number.isSafeInteger(seed)))
      throw new BadCommand('expected: branch SEED TIME, or branch SEED SEED TIME');
    const { at } = this.#reached;
    const until = at + spanOf(time);
    const [first, second] = seeds.length === 1 ? [undefined, seeds[0]] : seeds;
    const one = await reach(this.#past, {
      until,
      ...(first !== undefined && { branch: { at, seed: first } }),
    });
    const other = await reach(this.#past, { until, branch: { at, seed: second ?? 0 } });
    try {
      const names = [first === undefined ? 'here' : `with seed ${first}`, `with seed ${second ?? 0}`];
      const ends = [one, other].flatMap(({ isOver, at: end }, index) =>
        isOver ? [`${names[index] ?? ''} the run is over at ${formatVirtual(end)}`] : [],
      );
      const differences = endDifferences(one.world.objects(), other.world.objects());
      const heading = `at ${formatVirtual(until)}, parted at ${formatVirtual(at)}: ${names[0] ?? ''}, and ${names[1] ?? ''} (the twin)`;
      return [heading, ...ends, ...(differences.length > 0 ? differences : ['the same'])].join('\n');
    } finally {
      one.world.close();
      other.world.close();
    }
  }

  #instant(text: string | undefined): number {
    return text?.startsWith('+') === true ? this.#reached.at + spanOf(text.slice(1)) : spanOf(text);
  }
}

/** As `kubectl get` shows it: who owns which field is nobody's question. */
function shownObject(object: unknown): unknown {
  const { metadata, ...rest } = object as { readonly metadata: Readonly<Record<string, unknown>> };
  const { managedFields: _, ...shown } = metadata;
  return { ...rest, metadata: shown };
}

function spanOf(text: string | undefined): number {
  const span = text === undefined ? undefined : parseDuration(text);
  if (span === undefined)
    throw new BadCommand(`\`${text ?? ''}\` is no time; expected one such as 12.5s or 1m30s`);
  return span;
}

function wholeOf(text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new BadCommand(`\`${text}\` is no number; expected a whole one from 1 on`);
  return count;
}
