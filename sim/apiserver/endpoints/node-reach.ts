/**
 * The way from the API server to a node's agent: which node, at which address, and what it means when
 * nobody answers there.
 */
import { notFound, plainError } from '../../api/status.ts';
import type { Node } from '../../api/types/core-v1.ts';
import type { Exchange } from '../request/exchange.ts';
import type { NodeOutcome } from '../surroundings.ts';

/** As `--kubelet-preferred-address-types` has it by default. */
const PREFERRED_ADDRESSES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const DEFAULT_AGENT_PORT = 10_250;
/** What a node is asked may take its time, such as a checkpoint of much memory; that it is there shows soon. */
export const NODE_TIMEOUTS = { dialMs: 30_000, answerMs: 3_600_000 } as const;

export interface NodeConnection {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** @throws ApiError NotFound, which names the resource of the request, as the real server does */
export function nodeConnection({ server, info }: Exchange, name: string): NodeConnection {
  const resource = server.registry.findByText('nodes');
  const store = resource && server.storeOf(resource);
  const node: Node | undefined = store?.get(store.key('', name))?.value;
  if (!node) throw notFound({ group: info.group, resource: info.resource }, name);
  const addresses = node.status?.addresses ?? [];
  const preferred = PREFERRED_ADDRESSES.flatMap((type) => addresses.filter((each) => each.type === type))[0];
  if (!preferred) throw plainError('no preferred addresses found; known addresses: []');
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { name, host: preferred.address, port: port > 0 ? port : DEFAULT_AGENT_PORT };
}

const PROBLEMS = {
  refused: (address: string) => `dial tcp ${address}: connect: connection refused`,
  reset: (address: string) => `read tcp ${address}: read: connection reset by peer`,
  timeout: (address: string) => `dial tcp ${address}: i/o timeout`,
} as const;

/** Why there was no answer, in the words of Go's net package. */
export const dialProblem = ({ kind }: Exclude<NodeOutcome, { kind: 'answer' }>, address: string): string =>
  PROBLEMS[kind](address);
