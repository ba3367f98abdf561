/** Requests to the agents of nodes, by way of the API server: pods come and go, and what the agents serve is asked in odd ways. */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import type { Random } from './random.ts';

const HEADERS = { authorization: 'Bearer admin-token', 'user-agent': 'attack/1' };
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };
const PODS = '/api/v1/namespaces/default/pods';

const NODES: readonly string[] = [
  'worker-1',
  'worker-1',
  'worker-2',
  'worker-3',
  'worker-1:10250',
  'https:worker-1:10250',
  '[::1]',
];
const WORDS: readonly string[] = [
  'default',
  'a',
  'b',
  'main',
  'other',
  '..',
  '%2e%2e',
  '__proto__',
  '%00',
  '',
  'x'.repeat(3_000),
];
const SERVICES: readonly string[] = [
  'healthz',
  'metrics',
  'metrics/resource',
  'configz',
  'pods',
  'runningpods',
  'stats/summary',
  'logs',
  'logs/../etc/passwd',
  'debug/flags/v',
  'containerLogs/$/$/$',
  'exec/$/$/$',
  'attach/$/$/$',
  'run/$/$/$',
  'portForward/$/$',
  'checkpoint/$/$/$',
];
const PARAMETERS: readonly string[] = [
  'tailLines=-1',
  'tailLines=99999999999999999999',
  'sinceSeconds=9e99',
  'sinceTime=yesterday',
  'limitBytes=0',
  'limitBytes=-5',
  'follow=true',
  'previous=true&timestamps=true',
  'command=sh&command=-c&command=while true; do :; done',
  'command=sh&command=-c&command=$(((((((1))))))) ; f() { f; }; f',
  'command=cat&command=/dev/zero',
  'command=tar&command=cf&command=-&command=/',
  'stdin=true&stdout=true&tty=true',
  'timeout=0',
  'timeout=-1',
  'timeout=99999999999999',
  'port=0&port=65536&port=x',
];
/** What containers may be made to do, also by mistake. */
const BEHAVIOURS: readonly string[] = [
  '{}',
  '{',
  '{"runsForSeconds":0}',
  '{"runsForSeconds":0.001,"exitCode":1}',
  '{"logs":[{"text":"x","everySeconds":0}]}',
  '{"logs":[{"text":"x","everySeconds":0.000001}]}',
  '{"memoryBytes":1e300}',
  '{"readyAfterSeconds":-1}',
  '{"listens":[{"port":80,"responds":null}]}',
  '{"exec":{"__proto__":{"stdout":5}}}',
  '{"files":{"/":"x","/a/b":"y","":"z"}}',
];

export function nodeCall(random: Random): Call {
  const kind = random.below(6);
  if (kind === 0) return { method: 'POST', path: PODS, headers: JSON_HEADERS, body: pod(random) };
  if (kind === 1)
    return {
      method: 'DELETE',
      path: `${PODS}/${random.pick(['a', 'b'])}?gracePeriodSeconds=${random.pick(['0', '1', '-1'])}`,
      headers: HEADERS,
    };
  const service = random.pick(SERVICES).replaceAll('$', () => random.pick(WORDS));
  const query = Array.from({ length: random.below(3) }, () => encodeURI(random.pick(PARAMETERS))).join('&');
  return {
    method: random.pick(['GET', 'GET', 'POST', 'PUT']),
    path: `/api/v1/nodes/${random.pick(NODES)}/proxy/${service}${query === '' ? '' : `?${query}`}`,
    headers: HEADERS,
  };
}

const pod = (random: Random): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: random.pick(['a', 'b']),
        annotations: { 'behaviour.kubesim.dev/main': random.pick(BEHAVIOURS) },
      },
      spec: {
        nodeName: random.pick(['worker-1', 'worker-2', 'worker-3']),
        terminationGracePeriodSeconds: 1,
        restartPolicy: random.pick(['Always', 'Never', 'OnFailure']),
        containers: [
          {
            name: 'main',
            image: 'i',
            ...(random.oneIn(2) && { command: ['sh', '-c', 'while true; do echo x; done'] }),
          },
        ],
      },
    }),
  );
