import { describe, expect, it } from 'vitest';
import type { Process } from '../../../engine/process.ts';
import { type ServerAnswer, type ServerReach, type ServerRequest, testServerOf } from './test-servers.ts';

const server = (args: readonly string[], environment: readonly string[] = []) =>
  testServerOf(
    { name: 'c', image: 'registry.k8s.io/e2e-test-images/agnhost:2.53', args },
    'web-0',
    environment,
  );

const reach = (answers: (request: ServerRequest & { host: string }) => string | undefined): ServerReach => ({
  ranSeconds: 0,
  file: (path) => (path === '/results/a' ? 'OK\n' : undefined),
  *ask(request) {
    const body = answers(request);
    return body === undefined ? undefined : { status: 200, body };
  },
  *run(words) {
    return { output: words.join(' '), exitCode: 3 };
  },
});

function finished(answer: ServerAnswer | Process<ServerAnswer> | undefined): ServerAnswer | undefined {
  if (!answer || 'status' in answer) return answer;
  const step = answer.next();
  return step.done ? step.value : undefined;
}

const asked = (path: string, query: Readonly<Record<string, string>> = {}): ServerRequest => ({
  protocol: 'TCP',
  port: 80,
  path,
  query,
});

const nobody = reach(() => undefined);

describe('a server of the test image', () => {
  it.each([
    [['serve-hostname'], 9_376, 'TCP'],
    [['serve-hostname', '--port=80'], 80, 'TCP'],
    [['netexec', '--http-port', '8083'], 8_083, 'TCP'],
    [['netexec', '--http-port=8083'], 8_081, 'UDP'],
    [['test-webserver'], 80, 'TCP'],
    [['liveness'], 8_080, 'TCP'],
    [['nettest'], 8_080, 'TCP'],
    [['grpc-health-checking'], 5_000, 'TCP'],
  ] as const)('%j listens on %s/%s alone', (args, port, protocol) => {
    const listening = server(args);
    expect(listening?.listensOn(protocol, port)).toBe(true);
    expect(listening?.listensOn(protocol, port + 1)).toBe(false);
    expect(listening?.listensOn(protocol === 'TCP' ? 'UDP' : 'TCP', port)).toBe(false);
  });

  it('is none by another command, image or program', () => {
    expect(server(['pause'])).toBeUndefined();
    expect(testServerOf({ name: 'c', image: 'nginx', args: ['netexec'] }, 'p', [])).toBeUndefined();
    expect(
      testServerOf({ name: 'c', image: 'agnhost:1', args: ['netexec'], command: ['sh'] }, 'p', []),
    ).toBeUndefined();
  });

  it('says who it is and what it hears, and notes that', () => {
    const net = server(['netexec']);
    const say = (path: string, query?: Readonly<Record<string, string>>) =>
      finished(net?.answer(asked(path, query), nobody));
    expect(say('/hostName')).toMatchObject({ status: 200, body: 'web-0', log: 'GET /hostName' });
    expect(say('/echo', { msg: 'hi' })).toMatchObject({ body: 'hi', log: 'GET /echo?msg=hi' });
    expect(say('/echo', { msg: 'no', code: '404' })).toMatchObject({ status: 404, body: 'no' });
    expect(say('/exit', { code: '7' })).toMatchObject({ exitCode: 7 });
    expect(say('/shell', { cmd: 'ls' })?.body).toBe('{"output":"/bin/sh -c ls","error":"exit status 3"}');
    const datagram = (path: string) =>
      finished(net?.answer({ protocol: 'UDP', port: 8_081, path, query: {} }, nobody))?.body;
    expect([datagram('hostName\n'), datagram('echo a b\n'), datagram('what')]).toEqual(['web-0', 'a b', '']);
  });

  it('asks others as often as it is told, and says what they said', () => {
    const net = server(['netexec']);
    let round = 0;
    const other = reach(({ host, port, protocol, path, query }) =>
      round++ === 1 ? undefined : `${host} ${port} ${protocol} ${path} ${JSON.stringify(query)}`,
    );
    const query = { host: '10.0.0.1', port: '80', protocol: 'http', request: 'echo?msg=a', tries: '2' };
    expect(finished(net?.answer(asked('/dial', query), other))?.body).toBe(
      JSON.stringify({
        errors: ['dial tcp 10.0.0.1:80: i/o timeout'],
        responses: ['10.0.0.1 80 TCP /echo {"msg":"a"}'],
      }),
    );
    const udp = finished(net?.answer(asked('/dial', { ...query, protocol: 'udp', tries: '1' }), other));
    expect(udp?.body).toContain('UDP echo?msg=a');
    expect(finished(net?.answer(asked('/dial', { ...query, protocol: 'sctp' }), other))?.status).toBe(400);
    expect(finished(net?.answer(asked('/dial', { ...query, port: 'x' }), other))?.status).toBe(400);
  });

  it('is well for ten seconds', () => {
    const live = server(['liveness']);
    expect(live?.check?.('/healthz', 10)).toBe(200);
    expect(live?.check?.('/healthz', 10.1)).toBe(500);
    expect(finished(live?.answer(asked('/healthz'), { ...nobody, ranSeconds: 11 }))?.status).toBe(500);
  });

  it('counts who has written to it', () => {
    const test = server(['nettest']);
    const write = (body: unknown) => finished(test?.answer({ ...asked('/write'), body }, nobody))?.status;
    expect([write({ Source: 'prestop' }), write({ source: 'prestop' }), write('x')]).toEqual([200, 200, 400]);
    expect(JSON.parse(finished(test?.answer(asked('/read'), nobody))?.body ?? '')).toMatchObject({
      Hostname: 'web-0',
      Received: { prestop: 2 },
    });
  });

  it('says on each port what its environment says, and shows files', () => {
    const porter = server(['porter'], ['SERVE_PORT_80=foo', 'SERVE_TLS_PORT_443=tls', 'OTHER=1']);
    expect(porter?.listensOn('TCP', 443)).toBe(true);
    expect(porter?.listensOn('TCP', 81)).toBe(false);
    expect(finished(porter?.answer(asked('/'), nobody))?.body).toBe('foo');
    const web = server(['test-webserver']);
    expect(finished(web?.answer(asked('/results/a'), nobody))).toMatchObject({ status: 200, body: 'OK\n' });
    expect(finished(web?.answer(asked('/results/b'), nobody))?.status).toBe(404);
  });
});
