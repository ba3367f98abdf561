/** Whoever watches objects hears of each: what he makes of his events is what is stored, until his watch ends. */
import { expect } from 'vitest';
import type { ObjectMeta } from '../../api/object.ts';
import type { WatchLog } from '../../cluster/watch-log.ts';
import type { OwnServers } from './own-servers.fixture.ts';

interface Onlooker {
  readonly log: WatchLog;
  readonly prefix: string;
}

export class Onlookers {
  readonly #servers: OwnServers;
  #onlookers: readonly Onlooker[] = [];

  constructor(servers: OwnServers) {
    this.#servers = servers;
  }

  /** `prefix`: where what `path` shows is stored. */
  watch(path: string, prefix: string): void {
    const log = this.#servers.watch(path);
    if (log) this.#onlookers = [...this.#onlookers, { log, prefix }];
  }

  check(): void {
    this.#onlookers = this.#onlookers.filter(({ log }) => !log.isEnded);
    for (const { log, prefix } of this.#onlookers)
      expect(heard(log), `what a watch of ${prefix} has told of`).toEqual(this.#servers.keys(prefix));
  }
}

function heard({ events }: WatchLog): readonly string[] {
  const names = new Set<string>();
  for (const { type, object } of events) {
    const { name = '' } = object.metadata as ObjectMeta;
    if (type === 'DELETED') names.delete(name);
    else names.add(name);
  }
  return [...names].toSorted();
}
