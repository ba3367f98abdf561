/** Options of a POST, which are looked at only once the body is of a type that can be read. */
import type { Exchange } from '../request/exchange.ts';
import { checkEncoding } from '../verbs/read-body.ts';
import { type WriteOptions, writeOptionsOf } from './write-options.ts';

/** @throws ApiError */
export function createOptionsOf(exchange: Exchange): WriteOptions {
  checkEncoding(exchange);
  return writeOptionsOf(exchange, 'CreateOptions');
}
