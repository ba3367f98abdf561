/** `kubesim deprecations`: what a release no longer serves, in manifests, audit logs and running servers. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { policyViolations } from '../../../model/deprecation/policy.ts';
import type { ReleaseHistory } from '../../../model/deprecation/release-history.ts';
import type { ReleaseName } from '../../api/life-cycle/release-name.ts';
import { releaseName } from '../command-options.ts';
import { builtinHistory } from './builtin-history.ts';
import { converted, type Format, FORMATS, FORMATTERS } from './formats.ts';
import { readHistory } from './read-history.ts';
import { readSources, UnreadableSource } from './read-sources.ts';
import { requestedOf } from './requested.ts';
import { scanned, type Scan } from './scan.ts';

interface ScanFlags {
  readonly target: ReleaseName;
  readonly format: Format;
  readonly convert?: true;
  readonly server?: URL;
  readonly token?: string;
  readonly insecureSkipTlsVerify?: true;
}

const DEFAULT_TARGET = '1.31';

export function deprecationsCommand(): Command {
  return new Command('deprecations')
    .description('Find out what an upgrade breaks.')
    .addCommand(scanCommand().exitOverride().showHelpAfterError('(--help says more)'))
    .addCommand(checkCommand().exitOverride().showHelpAfterError('(--help says more)'));
}

function checkCommand(): Command {
  return new Command('check')
    .description('Hold the history of an API against the deprecation policy.')
    .argument(
      '[folder]',
      'with a folder for each release: its custom resource definitions, and documents of `kind: Release`',
    )
    .option('--builtin', 'the history of the built-in kinds instead')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExit codes: 0 every rule is kept, 1 one is broken, 2 bad input.')
    .action((folder: string | undefined, { builtin, json }: CheckFlags, command: Command) => {
      if ((folder === undefined) === (builtin === undefined))
        command.error('error: name a folder, or --builtin');
      try {
        check(folder === undefined ? builtinHistory() : readHistory(folder), json === true);
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error;
        command.error(`error: ${error.message}`);
      }
    });
}

interface CheckFlags {
  readonly builtin?: true;
  readonly json?: true;
}

function check(history: ReleaseHistory, isJson: boolean): void {
  const violations = policyViolations(history);
  const lines = violations.map(
    ({ rule, release, subject, message }) => `${release}: rule ${rule}: ${subject}: ${message}`,
  );
  const summary = `${history.length} releases: ${violations.length === 0 ? 'every rule is kept' : `${violations.length} violations`}`;
  process.stdout.write(
    isJson
      ? `${JSON.stringify({ releases: history.length, violations }, undefined, 2)}\n`
      : `${[...lines, summary].join('\n')}\n`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function scanCommand(): Command {
  return new Command('scan')
    .description(
      'List what manifests, audit logs and servers use of versions that a release no longer serves.',
    )
    .argument('[files...]', 'manifests, audit logs (JSON lines), folders of them, or - for standard input')
    .option(
      '--target <release>',
      `the release to go to, such as ${DEFAULT_TARGET}`,
      releaseName,
      DEFAULT_TARGET,
    )
    .addOption(new Option('--format <format>', 'how to tell it').choices([...FORMATS]).default('text'))
    .option('--convert', 'print the manifests as they should be instead')
    .option('--server <url>', 'a running API server, whose metrics say what it was asked for', urlOf)
    .option('--token <token>', 'bearer token for it')
    .option('--insecure-skip-tls-verify', 'take whatever certificate it shows')
    .addHelpText('after', '\nExit codes: 0 nothing is in the way, 1 something is not served, 2 bad input.')
    .action(async (files: readonly string[], flags: ScanFlags, command: Command) => {
      if (files.length === 0 && !flags.server) command.error('error: name files, folders, - or a --server');
      try {
        await scan(files, flags);
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error;
        command.error(`error: ${error.message}`);
      }
    });
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('expected a URL such as https://127.0.0.1:6443');
  return url;
}

async function scan(files: readonly string[], flags: ScanFlags): Promise<void> {
  const { target, format, convert, server, token, insecureSkipTlsVerify } = flags;
  const sources = readSources(files);
  if (convert) {
    process.stdout.write(converted(sources, target));
    return;
  }
  const found = scanned(sources, target);
  const requested = server
    ? await requestedOf(
        { url: server, isInsecure: insecureSkipTlsVerify === true, ...(token !== undefined && { token }) },
        target,
      ).catch((error: unknown) => {
        throw new UnreadableSource(
          `${server.href}: ${error instanceof Error ? error.message : String(error)}`,
        );
      })
    : [];
  const whole: Scan = {
    ...found,
    looked: found.looked + requested.length,
    findings: [...found.findings, ...requested],
  };
  process.stdout.write(FORMATTERS[format](whole));
  process.exitCode = whole.findings.some(({ stage }) => stage !== 'deprecated') ? 1 : 0;
}
