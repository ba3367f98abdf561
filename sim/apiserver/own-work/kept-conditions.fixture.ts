/** What holds of all that servers write by themselves, from one version of an object to the next. */
import { expect } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { OwnServers } from './own-servers.fixture.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | null;
}

const conditionsOf = (object: ApiObject): readonly Condition[] =>
  (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status?.conditions ?? [];

/** Looks on from now on; what was seen is thrown by `check`. */
export class KeptConditions {
  readonly #servers: OwnServers;
  readonly #broken: string[] = [];

  constructor(servers: OwnServers) {
    this.#servers = servers;
    servers.cluster.storage.watch({
      prefix: '/registry/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put' && event.previous) this.#compare(event.previous.value, event.entry.value);
      },
    });
  }

  /** Somebody gives another reason for what is so. */
  blur(path: string): void {
    const { status = 0, body } = this.#servers.ask('GET', path) ?? {};
    if (status !== 200 || !body) return;
    const conditions = conditionsOf(body).map((each) => ({ ...each, reason: 'Mine' }));
    this.#servers.ask('PATCH', `${path}/status`, { body: { status: { conditions } } });
  }

  check(): void {
    expect(this.#broken).toEqual([]);
  }

  #compare(before: ApiObject, after: ApiObject): void {
    const name = `${after.kind} ${after.metadata.name ?? ''}`;
    const [was, is] = [before.metadata.deletionTimestamp, after.metadata.deletionTimestamp];
    if (was !== undefined && was !== is) this.#broken.push(`${name}: marked at ${was}, and at ${String(is)}`);
    for (const { type, status, lastTransitionTime: since } of conditionsOf(after)) {
      const old = conditionsOf(before).find((each) => each.type === type);
      if (old?.status === status && old.lastTransitionTime && old.lastTransitionTime !== since)
        this.#broken.push(
          `${name}: ${type} is ${status} since ${old.lastTransitionTime}, and since ${String(since)}`,
        );
    }
  }
}
