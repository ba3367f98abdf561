/**
 * What a real port of a node serves: requests go over the simulated network to the agent of that node, from outside the
 * cluster. A node that is cut off or hangs does not answer; one whose agent has crashed breaks connections off, unless
 * it has lost its power. Specification: "Node-agent checkpoint endpoint".
 */
import type { Socket } from 'node:net';
import { textStreamOf } from '../apiserver/endpoints/node-text-stream.ts';
import { NodeChannels } from '../apiserver/streams/node-channels.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/request/request.ts';
import { openAgentStream } from '../cluster/agent-connection.ts';
import type { Process } from '../engine/process.ts';
import { hours } from '../engine/time.ts';
import { type AgentAnswer, type AgentCall, agentActorOf } from '../node/endpoint/agent-port.ts';
import type { RequestHandler } from './request-handler.ts';
import type { World } from './world.ts';

/** Nobody waits longer; a client that went away is forgotten then. */
const TIMEOUTS = { dial: hours(1), answer: hours(24) } as const;

/** `world`: the present one. */
export function nodeHandler(
  node: string,
  world: () => World,
  guards: Pick<RequestHandler, 'defects' | 'gate'>,
): RequestHandler {
  return {
    handle: (request, respond, breakOff) => {
      const { cluster, driver } = world();
      const { context } = cluster.user;
      const start = (process: Process<void>): (() => void) => {
        const task = context.spawn('from outside', process);
        return () => task.cancel();
      };
      driver.act(() => start(passOn(callOf(request))));

      function* passOn(call: AgentCall): Process<void> {
        const outcome = yield* openAgentStream(context, agentActorOf(node), call, TIMEOUTS);
        if (outcome.kind === 'answer') respond(responseOf(outcome.answer));
        else if (outcome.kind !== 'stream') breakOff();
        else if (call.upgrades === true)
          respond({
            status: 101,
            headers: [],
            body: { kind: 'channels', channels: new NodeChannels({ start }, outcome) },
          });
        else
          respond({
            status: 200,
            headers: [['content-type', 'text/plain']],
            body: { kind: 'stream', stream: textStreamOf({ start }, outcome) },
          });
      }
    },
    act: (work) =>
      guards.defects.guard(() => {
        world().driver.stir();
        world().driver.act(work);
      }),
    stir: () => world().driver.stir(),
    compressesResponses: false,
    ...guards,
  };
}

/** Nobody is there any more: the connection is broken before a byte was said. */
export function refuseWhenDown(node: string, { cluster }: World, socket: Socket): void {
  const { state, isSilent } = cluster.faults.actor(agentActorOf(node));
  if (state === 'crashed' && !isSilent) socket.resetAndDestroy();
}

function callOf({ method, path, query, headers, user }: ApiRequest): AgentCall {
  const token = /^bearer +(\S+)/i.exec(headers['authorization'] ?? '')?.[1];
  const upgrades = /^(websocket|spdy\/3\.1)$/i.test(headers['upgrade'] ?? '');
  return {
    method,
    path: decoded(path),
    query: Object.fromEntries(query.names.map((name) => [name, query.all(name)])),
    ...(user && { user: { name: user.name, groups: user.groups } }),
    ...(token !== undefined && { token }),
    ...(upgrades && { upgrades }),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function responseOf({ status, body, contentType, allow }: AgentAnswer): ApiResponse {
  const isText = typeof body === 'string';
  const type = contentType ?? (isText ? 'text/plain; charset=utf-8' : 'application/json');
  return {
    status,
    headers: [['content-type', type], ...(allow === undefined ? [] : [['allow', allow] as const])],
    body: { kind: 'text', text: isText ? body : JSON.stringify(body) },
  };
}
