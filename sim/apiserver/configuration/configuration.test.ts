/**
 * Files that configure a server, as a real 1.31 one reads and refuses them (`recorded-configurations.json`).
 *
 * @holds sim/apiserver/configuration sim/apiserver/authentication sim/apiserver/authorization
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAuthenticationConfiguration } from '../authentication/jwt/authentication-configuration.ts';
import { parseAuthorizationConfiguration } from '../authorization/authorization-configuration.ts';
import { ConfigurationError } from './configuration-document.ts';

interface Recorded {
  readonly kind: 'authn' | 'authz';
  readonly data: string;
  readonly gates?: string;
  readonly error: string;
}

const RECORDED = JSON.parse(
  readFileSync(join(import.meta.dirname, 'recorded-configurations.json'), 'utf8'),
) as readonly Recorded[];

/** As they were on the disk of the server that was asked. */
function problemOfFile(path: string): string | undefined {
  if (path === '/tmp') return 'must be a regular file';
  return path === '/nope' ? 'error loading file: stat /nope: no such file or directory' : undefined;
}

function problemOf({ kind, data, gates = '' }: Recorded): string {
  try {
    if (kind === 'authn')
      parseAuthenticationConfiguration(data, {
        isStructured: !gates.includes('StructuredAuthenticationConfiguration=false'),
        hasAnonymous: gates.includes('AnonymousAuthConfigurableEndpoints=true'),
      });
    else parseAuthorizationConfiguration(data, { problemOfFile });
    return '';
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

test.each(RECORDED)('%#: $data', (recorded) => {
  expect(problemOf(recorded)).toBe(recorded.error);
});
