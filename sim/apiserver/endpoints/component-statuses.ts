/**
 * ComponentStatus: how the components beside the server are, asked whenever somebody wants to know and kept nowhere. As on a
 * machine of a control plane they are the manager and the scheduler, each by its port on the loopback, and the storage.
 */
import { plainError } from '../../api/status.ts';
import type { ComponentStatus } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { checkFieldLabels, listOptionsOf } from '../options/list-options.ts';
import type { Exchange } from '../request/exchange.ts';
import { respondList, respondObject } from '../representation/respond.ts';
import { methodNotAllowed } from '../stages/route.ts';
import type { ApiServerSurroundings, Component } from '../surroundings.ts';
import { selectionOf } from '../verbs/selection.ts';

const PORTS: Readonly<Record<Component, number>> = { 'controller-manager': 10257, scheduler: 10259 };
const STORAGE = 'etcd-0';

export function* componentStatuses(exchange: Exchange): Process<void> {
  const { verb, name } = exchange.info;
  const all = statusesOf(exchange.server.surroundings);
  if (verb === 'get') {
    const found = all.find(({ metadata }) => metadata.name === name);
    if (!found) throw plainError(`Component not found: ${name}`);
    respondObject(exchange, 200, found);
    return;
  }
  if (verb !== 'list') throw methodNotAllowed();
  const options = listOptionsOf(exchange, { isWatch: false });
  checkFieldLabels(options.fieldSelector, exchange.routed.version);
  const { matches } = selectionOf(exchange, options);
  const page = { items: all.filter(matches), continueToken: '', remainingItemCount: undefined };
  respondList(exchange, page, (object) => object);
}

function statusesOf({ healthOf }: ApiServerSurroundings): readonly ComponentStatus[] {
  const components = (['scheduler', 'controller-manager'] as const).map((name) => {
    const health = healthOf?.(name) ?? 'absent';
    return health === 'well' ? well(name) : ill(name, problem(PORTS[name], health));
  });
  return [...components, well(STORAGE)];
}

const problem = (port: number, health: 'silent' | 'absent'): string => {
  const url = `Get "https://127.0.0.1:${port}/healthz"`;
  return health === 'absent'
    ? `${url}: dial tcp 127.0.0.1:${port}: connect: connection refused`
    : `${url}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
};

const well = (name: string): ComponentStatus => statusOf(name, 'True', 'ok');
const ill = (name: string, why: string): ComponentStatus => statusOf(name, 'False', why);

const statusOf = (name: string, status: 'True' | 'False', message: string): ComponentStatus => ({
  kind: 'ComponentStatus',
  apiVersion: 'v1',
  metadata: { name, creationTimestamp: null },
  conditions: [{ type: 'Healthy', status, message }],
});
