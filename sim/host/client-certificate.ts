/** Who a client is by its certificate: common name and organizations, as kube-apiserver's `--client-ca-file` has it. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { UserInfo } from '../apiserver/request/request.ts';
import type { HttpRequest } from './request-handler.ts';

export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'user'; readonly user: UserInfo }
  /** Of an authority that is not trusted here, or outside its time. */
  | { readonly kind: 'untrusted' };

const NONE: Presented = { kind: 'none' };
const UNTRUSTED: Presented = { kind: 'untrusted' };
/** A certificate does not change while its connection lives. */
const known = new WeakMap<Socket, Presented>();

export function presentedBy(request: HttpRequest): Presented {
  const socket = 'stream' in request ? request.stream.session?.socket : request.socket;
  if (!socket) return NONE;
  const before = known.get(socket);
  if (before) return before;
  const presented = presentedOn(socket);
  known.set(socket, presented);
  return presented;
}

function presentedOn(socket: Socket): Presented {
  // A session of HTTP/2 shows its socket through a proxy, which has its methods.
  if (!(socket instanceof TLSSocket)) return NONE;
  const { subject } = socket.getPeerCertificate() as { readonly subject?: Readonly<Record<string, unknown>> };
  if (!subject) return NONE;
  const [name] = textsOf(subject['CN']);
  if (!socket.authorized || name === undefined) return UNTRUSTED;
  return { kind: 'user', user: { name, groups: [...textsOf(subject['O']), 'system:authenticated'] } };
}

/** A word that the subject has several times is a list. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string');
