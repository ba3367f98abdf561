/** What `kubesim serve` makes of values that it is given at the start, and what it says that they are by default. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { dialectOf, pluginNamesOf } from './flag-values.ts';
import { auditOf } from './serve-audit.ts';
import { serveCommand } from './serve-command.ts';

test('a plugin of any release may be told not to run, one that is misspelt may not', () => {
  expect(pluginNamesOf('ServiceAccount, PodSecurityPolicy')).toEqual(['ServiceAccount', 'PodSecurityPolicy']);
  expect(() => pluginNamesOf('ServiceAccount,ServiceAcount')).toThrow(
    'there is no admission plugin "ServiceAcount"; there are NamespaceLifecycle, ',
  );
});

test.each(['a.', '.a', 'a..b', '-a', 'a-.b', 'A'])('a domain of groups is no %s', (domain) => {
  expect(() => dialectOf(`neutral=${domain}`)).toThrow('neutral=DOMAIN');
  expect(dialectOf('neutral=a-1.b')?.groupDomain).toBe('a-1.b');
});

test('a policy that cannot be read is told, though nothing is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubesim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, 'kind: Policy\nrules: [\n');
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  await expect(auditOf({ auditPolicyFile: file }, command)).rejects.toThrow(`--audit-policy-file ${file}: `);
  await expect(auditOf({}, command)).resolves.toBeUndefined();
});

test('the help says each default once, in words that the option takes', () => {
  const help = serveCommand(new URL('file:///none')).configureHelp({ helpWidth: 10_000 }).helpInformation();
  const lines = help.split('\n').filter((line) => line.includes('(default: '));
  expect(lines.filter((line) => line.split('(default: ').length > 2)).toEqual([]);
  expect(help).toMatch(/--clock .*\(default: real\)$/mu);
  expect(help).toMatch(/--etcd-compaction-interval .*\(default: 5m\)$/mu);
});
