/** Rows of flow schemas and priority levels, as `kubectl get` shows them. */
import { expect, it } from 'vitest';
import { createCluster, WireUser } from '../../../../index.ts';

const user = { name: 'admin', groups: ['system:masters'] };
const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function rowsOf(resource: string, query: Readonly<Record<string, string>> = {}): readonly unknown[][] {
  const wire = new WireUser(createCluster({ controllers: [], scheduler: false }));
  const path = `/apis/flowcontrol.apiserver.k8s.io/v1/${resource}`;
  const answer = wire.request({ method: 'GET', path, query, user, headers: { accept } });
  const { rows } = JSON.parse(String(answer?.body)) as { readonly rows: readonly { cells: unknown[] }[] };
  return rows.map(({ cells }) => cells);
}

it('are in the order in which schemas match, page by page', () => {
  const precedences = rowsOf('flowschemas').map(([, , precedence]) => Number(precedence));
  expect(precedences).toEqual(precedences.toSorted((one, other) => one - other));
  expect(rowsOf('flowschemas', { limit: '4' }).map(([name]) => name)).toEqual([
    'exempt',
    'endpoint-controller',
    'global-default',
    'catch-all',
  ]);
});

it('show shares of levels that are limited, and of no other', () => {
  const levels = rowsOf('prioritylevelconfigurations').map(([name, , shares]) => [name, shares]);
  expect(levels.slice(0, 3)).toEqual([
    ['catch-all', 5],
    ['exempt', '<none>'],
    ['global-default', 20],
  ]);
});
