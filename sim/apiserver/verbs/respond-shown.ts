/** Answers with an object in the version of the path, once it is in that version. */
import type { ApiObject } from '../../api/object.ts';
import type { Process } from '../../engine/process.ts';
import { showing } from '../conversion/show.ts';
import { respondObject } from '../representation/respond.ts';
import type { Exchange } from '../request/exchange.ts';
import { giveWay } from '../request/give-way.ts';

export function* respondShown(exchange: Exchange, status: number, object: ApiObject): Process<void> {
  const afterWriting = giveWay(exchange);
  if (afterWriting) yield* afterWriting;
  const show = showing(exchange, [object]);
  respondObject(exchange, status, object, typeof show === 'function' ? show : yield* show);
}
