/**
 * `kubesim etcd`: stands where a suite starts an etcd. The storage is part of the simulated API server, so that all
 * there is to say is that it is well; whoever asks for keys is told so.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Command, Option } from 'commander';
import { startProblem } from '../start-problem.ts';

interface EtcdFlags {
  readonly listenClientUrls: readonly URL[];
}

/** Options with which suites start an etcd, and which mean nothing here. */
const TAKEN = [
  '--name <name>',
  '--data-dir <directory>',
  '--listen-peer-urls <urls>',
  '--advertise-client-urls <urls>',
  '--initial-cluster <members>',
  '--initial-advertise-peer-urls <urls>',
  '--log-level <level>',
  '--quota-backend-bytes <bytes>',
  '--snapshot-count <count>',
  '--unsafe-no-fsync [boolean]',
];

export function etcdCommand(): Command {
  const command = new Command('etcd')
    .description(
      'Stand where a suite starts an etcd: says that it is well. The storage is in the simulated API server.',
    )
    .addOption(
      new Option(
        '--listen-client-urls <urls>',
        'addresses to listen on, comma separated: http://127.0.0.1:2379',
      )
        .argParser((text) => text.split(',').map((url) => plainUrl(url, command)))
        .default([new URL('http://127.0.0.1:2379')], 'http://127.0.0.1:2379'),
    );
  for (const flags of TAKEN) command.addOption(new Option(flags, 'taken; means nothing here'));
  return command.action(async ({ listenClientUrls }: EtcdFlags) => {
    const servers = await Promise.all(listenClientUrls.map((url) => listening(url, command)));
    const stop = (): void => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });
}

function plainUrl(text: string, command: Command): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:')
    command.error(`error: --listen-client-urls ${text}: expected a URL such as http://127.0.0.1:2379`);
  return url;
}

async function listening(url: URL, command: Command): Promise<Server> {
  const server = createServer(answer);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(Number(url.port || 80), url.hostname.replace(/^\[|\]$/g, ''), resolve);
    });
  } catch (error) {
    command.error(`error: ${startProblem(error) ?? String(error)}`);
  }
  return server;
}

const ANSWERS: Readonly<Record<string, string>> = {
  '/health': '{"health":"true","reason":""}',
  '/version': '{"etcdserver":"3.5.15","etcdcluster":"3.5.0"}',
};

function answer(request: IncomingMessage, response: ServerResponse): void {
  const body = ANSWERS[(request.url ?? '').split('?', 1)[0] ?? ''];
  response.writeHead(body === undefined ? 404 : 200, {
    'content-type': body === undefined ? 'text/plain' : 'application/json',
  });
  response.end(body ?? 'the storage is part of the simulated API server: there are no keys here\n');
}
