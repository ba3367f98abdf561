/**
 * What clients of a served world have asked, as a scenario that asks it again: one step for each request, with the time that
 * went by between them, and what each came to. Versions and identities of objects are those of the world that the scenario
 * runs in, so bodies lose theirs; a conflict, and what was not answered, is nothing to expect again.
 */
import type { LedgerEntry } from './client-ledger.ts';

type AskedRequest = Extract<LedgerEntry, { kind: 'request' }>;

const STEPPED_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const CONFLICT = 409;

export interface FrozenWorld {
  readonly seed: number;
  readonly nodes: number;
}

/** A document of `kubesim.dev/v1`. `requests` in the order in which they came. */
export function frozenScenario(requests: readonly AskedRequest[], { seed, nodes }: FrozenWorld): object {
  let at = requests[0]?.atMicros ?? 0;
  const steps = requests.flatMap((asked): readonly object[] => {
    const { method, path, atMicros } = asked;
    if (!STEPPED_METHODS.has(method) || isWatch(path)) return [];
    const pause = atMicros - at;
    at = atMicros;
    return [...(pause > 0 ? [{ advance: `${pause}us` }] : []), stepOf(asked)];
  });
  return {
    apiVersion: 'kubesim.dev/v1',
    kind: 'Scenario',
    metadata: { name: 'frozen' },
    spec: {
      description: `What clients of a served world with seed ${seed} have asked.`,
      ...(nodes > 0 && { cluster: { nodes } }),
      steps,
    },
  };
}

const isWatch = (path: string): boolean => /[?&]watch=(?!false|0)/.test(path);

function stepOf({ method, path, status, body, contentType }: AskedRequest): object {
  const [bare = '', query = ''] = path.split('?', 2);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return {
    request: {
      method,
      path: bare,
      ...(query !== '' && { query: parameters }),
      ...(contentType !== undefined && method === 'PATCH' && { headers: { 'content-type': contentType } }),
      ...(body !== undefined && { body: withoutIdentity(body) }),
    },
    ...(status !== undefined && status !== CONFLICT && { expect: { status } }),
  };
}

function withoutIdentity(text: string): unknown {
  try {
    const body = JSON.parse(text) as { metadata?: Record<string, unknown> };
    if (typeof body.metadata !== 'object' || body.metadata === null) return body;
    const { resourceVersion: _, uid: __, ...metadata } = body.metadata;
    return { ...body, metadata };
  } catch {
    return text;
  }
}
