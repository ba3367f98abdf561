/** A kind of patch: prepared once from the request, then applied to whatever state is present. */
import type { Exchange } from '../../request/exchange.ts';
import type { WriteOptions } from '../../options/write-options.ts';
import type { UpdateRules } from '../../registry/strategy.ts';
import type { Change } from '../update-object.ts';

export interface PatchRequest {
  readonly exchange: Exchange;
  readonly options: WriteOptions;
  readonly rules: UpdateRules | undefined;
}

export type PreparedPatch = Pick<Change, 'produce' | 'uidPrecondition'>;

export type Patcher = (request: PatchRequest) => PreparedPatch;
