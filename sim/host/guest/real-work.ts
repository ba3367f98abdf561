/**
 * Hears of what guests begin in the real world (a file, a socket, a digest that is computed on another thread): its end
 * continues the guest at an instant that no seed decides. Such an end is told to the guest whose code began it, however
 * soon it comes. Native requests are known by their types of `node:async_hooks`; what writes to a terminal, and what only
 * exists without an end of its own, is no such work.
 */
import { createHook } from 'node:async_hooks';
import { platform } from './platform.ts';

/** Somebody whose code may begin real work. */
export interface Beginner {
  /** Its code has done what no seed decides, in a way that nobody could answer instead. */
  kept(what: string): void;
  /** Real work that its code began has ended, and what waited for it goes on. */
  continuedBy(work: string): void;
}

/** Output, and handles that merely exist. Their ends continue nobody who did not ask for them. */
const HARMLESS: ReadonlySet<string> = new Set([
  'PROMISE',
  'WRITEWRAP',
  'SHUTDOWNWRAP',
  'TTYWRAP',
  'PIPEWRAP',
  'SIGNALWRAP',
  'MESSAGEPORT',
  'INSPECTORJSBINDING',
  // Whoever could ask for addresses; asking is work of its own.
  'DNSCHANNEL',
  // Readers of HTTP, which have no life but that of their socket.
  'HTTPINCOMINGMESSAGE',
  'HTTPCLIENTREQUEST',
]);

const CHANCE = 'drew from the chance of the machine, in a way that the simulation has no answer for';
const TIMER = 'set a timer of Node itself, by a function that was taken from it before there was a guest';

/** What is wrong as soon as it is begun, be it synchronous: by type. */
const WRONG: Readonly<Record<string, string>> = {
  Timeout: TIMER,
  Immediate: TIMER,
  RANDOMBYTESREQUEST: CHANCE,
  RANDOMPRIMEREQUEST: CHANCE,
  KEYPAIRGENREQUEST: CHANCE,
  KEYGENREQUEST: CHANCE,
  WORKER: 'started a thread',
  PROCESSWRAP: 'started a process',
  UDPWRAP: 'opened a datagram socket',
};

/** Masks of WebSockets: nobody ever sees them. */
const isMask = (type: string): boolean =>
  type === 'RANDOMBYTESREQUEST' && /[\\/]ws[\\/]lib[\\/]/.test(new Error('where').stack ?? '');

/** Types of native requests are capitals; those of Node's own and users' JavaScript are not. */
const isRealWork = (type: string): boolean => /^[A-Z0-9]+$/.test(type) && !HARMLESS.has(type);

/** Hears of requests of Node, while it is among the ears. */
interface Ear {
  began(id: number, type: string): void;
  ended(id: number): void;
}

const EARS = Symbol.for('kubesim.dev/ears');

/**
 * Those of the whole process, to which one hook tells everything, for good: where code is broken off (`slice.ts`) amid a
 * hook, Node can take away none and begin none any more, whosever it is.
 */
function ears(): Set<Ear> {
  const known: unknown = Reflect.get(platform, EARS);
  if (known !== undefined) return known as Set<Ear>;
  const made = new Set<Ear>();
  Reflect.set(platform, EARS, made);
  createHook({
    init: (id, type) => {
      if (made.size > 0) for (const ear of made) ear.began(id, type);
    },
    before: (id) => {
      if (made.size > 0) for (const ear of made) ear.ended(id);
    },
  }).enable();
  return made;
}

/** Real time that work which seems to be under way at the end of a drive is given to show itself. */
const PATIENCE_MS = 500;

export class RealWork implements Ear {
  readonly #present: () => Beginner | undefined;
  /** By the id of its request. Synchronous forms make requests as well, which never end. */
  readonly #begun = new Map<number, { readonly by: Beginner; readonly type: string }>();
  /** Was waited for once in vain: most likely synchronous, and not worth waiting for again. */
  readonly #fruitless = new Set<string>();

  /** @param present whose code runs at this moment */
  constructor(present: () => Beginner | undefined) {
    this.#present = present;
  }

  listen(): void {
    ears().add(this);
  }

  /** What was begun and has not ended is forgotten. */
  unlisten(): void {
    ears().delete(this);
    this.#begun.clear();
  }

  /** Waits a moment of real time for what may be under way; at once when nothing is. */
  async linger(rest: () => Promise<void>, nowMs: () => number): Promise<void> {
    const deadline = nowMs() + PATIENCE_MS;
    while (this.mayEnd && nowMs() < deadline) await rest();
    for (const { type } of this.#begun.values()) this.#fruitless.add(type);
  }

  /** Something is under way whose end may continue somebody. */
  get mayEnd(): boolean {
    for (const { type } of this.#begun.values()) if (!this.#fruitless.has(type)) return true;
    return false;
  }

  began(id: number, type: string): void {
    const wrong = WRONG[type];
    if (wrong === undefined && !isRealWork(type)) return;
    const by = this.#present();
    if (by && wrong !== undefined && !isMask(type)) by.kept(wrong);
    else if (by && wrong === undefined) this.#begun.set(id, { by, type });
  }

  ended(id: number): void {
    const work = this.#begun.get(id);
    if (!work) return;
    this.#begun.delete(id);
    work.by.continuedBy(work.type);
  }
}
