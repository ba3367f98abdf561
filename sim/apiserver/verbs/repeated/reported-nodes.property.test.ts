/** Reports of a node that are answered from the one before against such that are examined as a whole. */
import fc from 'fast-check';
import { it } from 'vitest';
import { formatTime } from '../../../api/time-format.ts';
import type { ApiResponse } from '../../request/request.ts';
import {
  ASIDE,
  type Aside,
  nobodySeesADifference,
  type RepeatingServer,
  seldom,
} from './repeating-server.fixture.ts';

const TYPES = ['MemoryPressure', 'DiskPressure', 'Ready'] as const;
const ORDER = '$setElementOrder/conditions';

interface Change {
  readonly type?: unknown;
  readonly [member: string]: unknown;
}

interface Report {
  readonly types: readonly unknown[];
  readonly changes: readonly Change[];
  readonly rest?: object;
  readonly whole?: object;
}

const usual = (time: string): Report => ({
  types: TYPES,
  changes: TYPES.map((type) => ({ lastHeartbeatTime: time, type })),
});

const changed = (time: string, change: object): Report => {
  const { types, changes } = usual(time);
  return { types, changes: changes.map((each, index) => (index === 1 ? { ...each, ...change } : each)) };
};

/** What an agent may send of its node's status. */
const REPORTS: Readonly<Record<string, (time: string) => Report>> = {
  'as ever': usual,
  'of one time for ever': () => usual('2025-03-01T00:00:05Z'),
  'with one other time': (time) => changed(time, { lastHeartbeatTime: '2025-03-01T00:00:07Z' }),
  'in another zone': (time) => changed(time, { lastHeartbeatTime: '2025-03-01T02:00:07+02:00' }),
  'at the beginning of time': (time) => changed(time, { lastHeartbeatTime: '0001-01-01T00:00:00Z' }),
  wrongly: (time) => changed(time, { lastHeartbeatTime: 'soon' }),
  'with nothing': (time) => changed(time, { lastHeartbeatTime: null }),
  'with news': (time) => changed(time, { status: time.endsWith('5Z') ? 'True' : 'False' }),
  'without a condition': (time) => changed(time, { $patch: 'delete' }),
  'of a new condition': (time) => {
    const { types, changes } = usual(time);
    return {
      types: [...types, 'Odd'],
      changes: [...changes, { lastHeartbeatTime: time, status: 'True', type: 'Odd' }],
    };
  },
  'that names one more': (time) => ({ ...usual(time), types: [...TYPES, 'Odd'] }),
  'that names one less': (time) => ({
    types: TYPES,
    changes: [...usual(time).changes, { lastHeartbeatTime: time, status: 'True', type: 'Odd' }],
  }),
  'in another order': (time) => {
    const { types, changes } = usual(time);
    return { types: types.toReversed(), changes: changes.toReversed() };
  },
  'in two orders': (time) => ({ ...usual(time), types: TYPES.toReversed() }),
  'of two of them': (time) => ({ types: TYPES.slice(1), changes: usual(time).changes.slice(1) }),
  'of one twice': (time) => {
    const { types, changes } = usual(time);
    return { types, changes: [...changes.slice(1), ...changes.slice(2)] };
  },
  'with more': (time) => ({ ...usual(time), rest: { volumesInUse: ['one'] } }),
  'with a label': (time) => ({ ...usual(time), whole: { metadata: { labels: { a: 'b' } } } }),
  'with a version': (time) => ({ ...usual(time), whole: { metadata: { resourceVersion: '1' } } }),
};

const bodyOf = ({ types, changes, rest = {}, whole = {} }: Report): object => ({
  ...whole,
  status: { [ORDER]: types.map((type) => ({ type })), conditions: changes, ...rest },
});

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  // Of what has no owner at first, nobody ever becomes one.
  metadata: { name: 'a', labels: { zone: 'one' } },
  status: {
    conditions: TYPES.map((type) => ({ type, status: 'True', lastHeartbeatTime: '2025-01-01T00:00:00Z' })),
  },
};

const BY_STRANGERS = [
  'label by a stranger',
  'conditions by a stranger',
  'apply by a stranger',
  'agree by a stranger',
] as const;

interface Step {
  readonly deed: string;
  readonly isByStranger: boolean;
  readonly agent: string;
  readonly type: string;
  readonly isDryRun: boolean;
  readonly ms: number;
}

function take(server: RepeatingServer, step: Step): readonly ApiResponse[] {
  const { deed, isByStranger, agent, type, isDryRun } = step;
  const now = formatTime(server.surroundings.nowMs);
  if (isAside(deed)) return server.stepAside(deed);
  const status = `${server.objectPath}/status`;
  switch (deed) {
    case 'label by a stranger':
      return [server.patch({ metadata: { labels: { at: now.replaceAll(':', '.') } } })];
    case 'conditions by a stranger': {
      const asking = { isByStranger: true, agent: 'other', type: 'strategic-merge-patch' };
      return [server.call('PATCH', status, bodyOf(usual(now)), asking)];
    }
    case 'apply by a stranger':
      return [applyReady(server, now)];
    case 'agree by a stranger':
      return [applyReady(server, readyTime(server))];
    default: {
      const body = bodyOf((REPORTS[deed] ?? usual)(now));
      const query = isDryRun ? { dryRun: 'All' } : {};
      return [server.call('PATCH', status, body, { isByStranger, agent, query, type })];
    }
  }
}

const isAside = (deed: string): deed is Aside => ASIDE.some((aside) => aside === deed);

function readyTime({ seen }: RepeatingServer): string {
  const { conditions = [] } = (seen.at(-1)?.['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly lastHeartbeatTime: string }[];
  };
  return conditions.find(({ type }) => type === 'Ready')?.lastHeartbeatTime ?? '2025-01-01T00:00:00Z';
}

function applyReady(server: RepeatingServer, time: string): ApiResponse {
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: time }];
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, status: { conditions } };
  return server.call('PATCH', `${server.objectPath}/status`, body, {
    isByStranger: true,
    query: { fieldManager: 'applier', force: 'true' },
    type: 'apply-patch',
  });
}

const USUALLY = ['strategic-merge-patch', 'strategic-merge-patch', 'strategic-merge-patch', 'merge-patch'];

const step = fc.record<Step>({
  deed: fc.oneof(
    { weight: 12, arbitrary: fc.constant('as ever') },
    { weight: 4, arbitrary: fc.constantFrom(...Object.keys(REPORTS)) },
    { weight: 3, arbitrary: fc.constantFrom(...ASIDE, ...BY_STRANGERS) },
  ),
  isByStranger: seldom(),
  agent: fc.constantFrom('kubelet/1', 'kubelet/1', 'kubelet/1', 'kubelet/2', 'other'),
  type: fc.oneof({ weight: 9, arbitrary: fc.constant('strategic-merge-patch') }, fc.constantFrom(...USUALLY)),
  isDryRun: seldom(),
  // A clock may be set back.
  ms: fc.constantFrom(0, 400, 1_000, 10_000, 10_000, 300_000, -5_000),
});

it('answers, and leaves behind, what a whole examination would', () => {
  const subject = { path: '/api/v1/nodes', object: NODE, group: '', resource: 'nodes/status' };
  nobodySeesADifference({ subject, step, take, runs: 250 });
});
