import type { JsonObject } from '../../api/object.ts';

/** `/version`: the release whose API is spoken. Its numbers are text. Specification: "Versions". */
export const SERVER_VERSION = {
  major: '1',
  minor: '31',
  gitVersion: 'v1.31.14+kubesim',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.23.0',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const satisfies JsonObject;
