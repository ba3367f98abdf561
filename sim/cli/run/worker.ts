/** A worker process: makes the runs that it is sent, one at a time, in worlds of their own. */
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import type { RunRecord } from '../../../reports/run-record.ts';
import { doWork, reload, scenarioKey, type WorkItem } from './work-item.ts';

/** The scenario's text comes along when the worker sees it for the first time. */
export interface WorkMessage {
  readonly item: WorkItem;
  readonly text?: string;
}

export type WorkerMessage =
  { readonly kind: 'ready' } | { readonly kind: 'done'; readonly record: RunRecord };

export function runWorker(): void {
  const known = new Map<string, LoadedScenario>();
  // Whoever has started it says when it ends: a terminal sends Ctrl-C to all of them. Nobody may be there any more.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined);
  const send = (message: WorkerMessage): void =>
    void process.send?.(message, undefined, undefined, (error) => {
      if (error) process.exit(0);
    });
  process.on('message', ({ item, text }: WorkMessage) => {
    const key = scenarioKey(item);
    if (text !== undefined) known.set(key, reload(item, text));
    const loaded = known.get(key);
    if (loaded) void doWork(item, loaded).then((record) => send({ kind: 'done', record }));
  });
  process.on('disconnect', () => process.exit(0));
  send({ kind: 'ready' });
}
