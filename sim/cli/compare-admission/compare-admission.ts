/**
 * Compares admission webhooks with a real API server: `npx tsx sim/cli/compare-admission/compare-admission.ts URL TOKEN COUNT
 * [SEED] [AUDIT_LOG]`. Drawn configurations, with a real webhook that answers as it is told, stand at both servers; the same
 * requests have to be answered alike, with the same warnings and audit annotations, and the webhook has to be asked the same.
 */
import { Auditor } from '../../apiserver/audit/auditor.ts';
import { AuditPolicy } from '../../apiserver/audit/policy.ts';
import { serve } from '../../host/serve.ts';
import { Draws } from '../compare-cel/draws.ts';
import { compareCase, prepare } from './compare-case.ts';
import { drawCase } from './draw-case.ts';
import { ScriptedWebhook } from './scripted-webhook.ts';
import { annotationsIn, side } from './side.ts';

const [url = '', token = '', count = '100', seed = '1', auditLog] = process.argv.slice(2);

const annotations = new Map<string, Record<string, string>>();
const policy = AuditPolicy.parse('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]');
const serving = await serve({
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 1,
  nodes: 0,
  controllers: [],
  auditor: new Auditor({
    policy,
    write: (event) =>
      annotations.set(String(event['auditID']), { ...(event['annotations'] as Record<string, string>) }),
  }),
  onDefect: (error) => {
    throw error;
  },
});
const hook = await ScriptedWebhook.start();
const real = side('real', url, token, auditLog === undefined ? () => ({}) : annotationsIn(auditLog));
const own = side('own', serving.urls[0] ?? '', undefined, (id) =>
  auditLog === undefined ? {} : (annotations.get(id) ?? {}),
);
for (const each of [real, own]) await prepare(each);
let different = 0;
for (let index = 0; index < Number(count); index += 1) {
  const drawn = drawCase(new Draws(Number(seed) * 1_000_003 + index * 7919));
  const differences = await compareCase({ number: index, drawn, sides: [real, own], hook });
  if (differences.length === 0) continue;
  different += 1;
  process.stdout.write(`case ${index}\n${differences.join('\n')}\n`);
}
process.stdout.write(`${JSON.stringify({ compared: Number(count), different })}\n`);
hook.stop();
await serving.stop();
process.exit(0);
