/** A served world to attack over real sockets, and whether it is still well. */
import { serve, type ServeOptions, type Serving } from '../../host/serve.ts';
import { StaticTokens } from '../../apiserver/authentication/static-tokens.ts';
import { headline } from './finding.ts';

const TOKENS =
  'admin-token,admin,admin-uid,"system:masters"\nalice-token,alice,alice-uid,"devs"\nbob-token,bob,bob-uid\n';
const PATIENCE = { headersMs: 2_000, requestMs: 4_000 };
/** Much longer than any request takes, on a busy machine as well. */
const ALIVE_MS = 10_000;

export interface AttackedPorts {
  readonly serving: Serving;
  readonly http: URL;
  readonly https: URL;
  /** Headlines of what has gone wrong since the last call. */
  takeDefects(): readonly string[];
  /** Whether a usual client is answered. */
  isAlive(): Promise<boolean>;
}

/** `more`: what else there is in the world than an API server. */
export async function attackedPorts(more: Partial<ServeOptions> = {}): Promise<AttackedPorts> {
  let defects: string[] = [];
  const serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    securePort: 0,
    seed: 1,
    speed: 1,
    authorizationMode: 'RBAC',
    tokenAuthenticators: [StaticTokens.parse(TOKENS)],
    patience: PATIENCE,
    onDefect: (error) => void defects.push(headline(error)),
    ...more,
  });
  const [https = '', http = ''] = serving.urls;
  return {
    serving,
    http: new URL(http),
    https: new URL(https),
    takeDefects() {
      const taken = defects;
      defects = [];
      return taken;
    },
    async isAlive() {
      try {
        const answer = await fetch(`${http}/readyz`, { signal: AbortSignal.timeout(ALIVE_MS) });
        return (await answer.text()) === 'ok';
      } catch {
        return false;
      }
    },
  };
}
