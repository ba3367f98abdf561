/** What a running server has been asked for in deprecated versions: its gauge `apiserver_requested_deprecated_apis`. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { ReleaseName } from '../../api/life-cycle/release-name.ts';
import { releaseNumber } from '../../api/life-cycle/release-name.ts';
import type { Finding } from './scan.ts';

export interface ServerAddress {
  readonly url: URL;
  readonly token?: string;
  /** Any certificate will do. */
  readonly isInsecure: boolean;
}

const GAUGE = /^apiserver_requested_deprecated_apis\{([^}]*)\} 1$/;
const TIMEOUT_MS = 15_000;

/** @throws Error */
export async function requestedOf(server: ServerAddress, target: ReleaseName): Promise<readonly Finding[]> {
  const text = await metricsOf(server);
  return text.split('\n').flatMap((line) => {
    const labels = GAUGE.exec(line)?.[1];
    return labels === undefined ? [] : [findingOf(labels, server.url.href, target)];
  });
}

function findingOf(text: string, file: string, target: ReleaseName): Finding {
  const labels = Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const { group = '', version = '', resource = '', subresource = '', removed_release: removed = '' } = labels;
  return {
    file,
    line: 0,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: subresource === '' ? resource : `${resource}/${subresource}`,
    subject: 'requested',
    stage: removed !== '' && releaseNumber(removed) <= releaseNumber(target) ? 'removed' : 'deprecated',
    ...(removed !== '' && { removed }),
    notes: [],
  };
}

const metricsOf = ({ url, token, isInsecure }: ServerAddress): Promise<string> =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const options = {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      timeout: TIMEOUT_MS,
      ...(isSecure && { rejectUnauthorized: !isInsecure }),
    };
    const asked = (isSecure ? requestHttps : requestHttp)(new URL('/metrics', url), options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`/metrics answers ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    asked.on('error', reject);
    asked.end();
  });
