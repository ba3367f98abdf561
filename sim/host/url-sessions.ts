/** Sessions of HTTP/2 by place and trust: each takes as many calls at once as the other one allows. */
import type { ClientHttp2Session } from 'node:http2';
import { type HeardOverHttp2, type SentCall, Session, type SessionPatience } from './url-session.ts';

const PATIENCE: SessionPatience = { silenceMs: 30_000, pingMs: 15_000, idleMs: 90_000 };

export class Sessions {
  readonly #patience: SessionPatience;
  readonly #kept = new Map<string, readonly Session[]>();

  constructor(patience = PATIENCE) {
    this.#patience = patience;
  }

  /** False: nobody is there who would take it. */
  ask(place: string, sent: SentCall, heard: HeardOverHttp2): boolean {
    const session = this.#kept.get(place)?.find((each) => each.hasRoom);
    session?.ask(sent, heard);
    return session !== undefined;
  }

  add(place: string, begin: () => ClientHttp2Session): void {
    const others = this.#kept.get(place)?.filter((each) => !each.isOver) ?? [];
    this.#kept.set(place, [...others, new Session(begin(), this.#patience)]);
  }
}
