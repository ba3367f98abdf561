import { describe, expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly description: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** What is made first is in the Table. */
function tableAt(release: string, path: string, object?: object, status?: object): Table {
  const server = new VirtualServer({ release: findRelease(release) });
  const ask = (method: string, to: string, body?: object, accept = 'application/json'): unknown => {
    const { bytes } = server.request({
      method,
      path: to,
      headers: {
        authorization: 'Bearer admin-token',
        accept,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    });
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  if (object) ask('POST', path, { metadata: { name: 'x' }, ...object });
  if (status) ask('PATCH', `${path}/x/status`, { status });
  return ask(
    'GET',
    object ? `${path}/x` : path,
    undefined,
    'application/json;as=Table;v=v1;g=meta.k8s.io',
  ) as Table;
}

const namesOf = ({ columnDefinitions }: Table): readonly string[] =>
  columnDefinitions.map(({ name }) => name);
const textOf = ({ columnDefinitions }: Table, wanted: string): string =>
  columnDefinitions.find(({ name }) => name === wanted)?.description ?? '';

it('quotas tell their age last since 1.33', () => {
  const at = (release: string) =>
    tableAt(release, '/api/v1/namespaces/default/resourcequotas', { spec: { hard: { pods: '4' } } });
  expect(namesOf(at('1.32'))).toEqual(['Name', 'Age', 'Request', 'Limit']);
  expect(at('1.32').rows[0]?.cells).toEqual(['x', '0s', '', '']);
  const later = at('1.33');
  expect(namesOf(later)).toEqual(['Name', 'Request', 'Limit', 'Age']);
  expect(later.rows[0]?.cells).toEqual(['x', '', '', '0s']);
});

it('classes of priority tell whom they may push out since 1.32', () => {
  const at = (release: string) =>
    tableAt(release, '/apis/scheduling.k8s.io/v1/priorityclasses', { value: 5, preemptionPolicy: 'Never' });
  expect(at('1.31').rows[0]?.cells).toEqual(['x', 5, false, '0s']);
  expect(namesOf(at('1.31'))).toHaveLength(4);
  const later = at('1.32');
  expect(later.rows[0]?.cells).toEqual(['x', 5, false, '0s', 'Never']);
  expect(textOf(later, 'PreemptionPolicy')).toMatch(/^preemptionPolicy is the Policy for preempting pods/);
});

it('a job that has met its criteria says so since 1.34', () => {
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } };
  const conditions = [
    { type: 'SuccessCriteriaMet', status: 'True', lastProbeTime: null, lastTransitionTime: null },
  ];
  const stateAt = (release: string): unknown =>
    tableAt(release, '/apis/batch/v1/namespaces/default/jobs', { spec }, { conditions }).rows[0]?.cells[1];
  expect(stateAt('1.33')).toBe('Running');
  expect(stateAt('1.34')).toBe('SuccessCriteriaMet');
});

it('claims of devices tell their state', () => {
  const { rows, columnDefinitions } = tableAt(
    '1.34',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      spec: {},
    },
  );
  expect(rows[0]?.cells).toEqual(['x', 'pending', '0s']);
  expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'State', 'Age']);
});

describe('words of the API for its columns, since the release that changed them', () => {
  it.each([
    ['/api/v1/nodes', 'Internal-IP', '1.32', /reference\/node\/node-status/],
    ['/api/v1/serviceaccounts', 'Secrets', '1.32', /deprecated since v1\.32/],
    ['/apis/apps/v1/deployments', 'Available', '1.33', /non-terminating pods/],
    ['/apis/apps/v1/replicasets', 'Desired', '1.33', /number of desired pods/],
  ])('%s %s: %s', (path, column, since, words) => {
    const before = `1.${Number(since.slice(2)) - 1}`;
    expect(textOf(tableAt(since, path), column)).toMatch(words);
    expect(textOf(tableAt(before, path), column)).not.toMatch(words);
    expect(textOf(tableAt(before, path), column)).not.toBe('');
  });

  it('of drivers, whose gate is no more', () => {
    const at = (release: string) =>
      textOf(tableAt(release, '/apis/storage.k8s.io/v1/csidrivers'), 'AttachRequired');
    expect(at('1.33')).toContain('CSIDriverRegistry');
    expect(at('1.34')).not.toContain('CSIDriverRegistry');
  });
});
