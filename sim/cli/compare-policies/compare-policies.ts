/**
 * Compares admission policies with a real API server: `npx tsx sim/cli/compare-policies/compare-policies.ts URL COUNT [SEED]
 * [AUDIT_LOG]`. Drawn policies, bindings and parameters stand at both servers, each case in a namespace of its own; what is said
 * of them, and of requests that they see, has to be the same, with warnings and audit annotations. The real server knows the
 * tokens `admin-token` (of `system:masters`) and `alice-token` (of the group `devs`).
 */
import { Auditor } from '../../apiserver/audit/auditor.ts';
import { AuditPolicy } from '../../apiserver/audit/policy.ts';
import { StaticTokens } from '../../apiserver/authentication/static-tokens.ts';
import { serve } from '../../host/serve.ts';
import { annotationsIn, side } from '../compare-admission/side.ts';
import { Random } from '../verify/generate/random.ts';
import { compareBatch, prepare } from './compare-batch.ts';
import { drawPolicyCase } from './draw-policy-case.ts';

const BATCH = 25;

const [url = '', count = '100', seed = '1', auditLog] = process.argv.slice(2);

const annotations = new Map<string, Record<string, string>>();
const policy = AuditPolicy.parse('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]');
const serving = await serve({
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 1,
  nodes: 0,
  controllers: [],
  authorizationMode: 'RBAC',
  tokenAuthenticators: [
    StaticTokens.parse('admin-token,admin,admin-uid,"system:masters"\nalice-token,alice,alice-uid,"devs"\n'),
  ],
  auditor: new Auditor({
    policy,
    write: (event) =>
      annotations.set(String(event['auditID']), { ...(event['annotations'] as Record<string, string>) }),
  }),
  onDefect: (error) => {
    throw error;
  },
});
const real = side('real', url, 'admin-token', auditLog === undefined ? () => ({}) : annotationsIn(auditLog));
const own = side('own', serving.urls[0] ?? '', 'admin-token', (id) =>
  auditLog === undefined ? {} : (annotations.get(id) ?? {}),
);
for (const each of [real, own]) await prepare(each);
/** A real server may have seen the seed before. */
const run = (Date.now() % 1_000_000).toString(36);
let different = 0;
for (let from = 0; from < Number(count); from += BATCH) {
  const cases = Array.from({ length: Math.min(BATCH, Number(count) - from) }, (_none, at) => {
    const label = `s${seed}-${run}-${from + at}`;
    return drawPolicyCase(new Random('policies', seed, from + at), { namespace: label, label });
  });
  for (const text of await compareBatch(cases, [real, own])) {
    different += 1;
    process.stdout.write(`${text}\n`);
  }
}
process.stdout.write(`${JSON.stringify({ compared: Number(count), different })}\n`);
await serving.stop();
process.exit(0);
