/** DELETE of a collection: every selected object by the rules of DELETE; answers with the list as it was before. */
import { goQuote } from '../../api/go-text.ts';
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { deleteOptionsOf } from '../options/delete-options.ts';
import { checkFieldLabels, type ListOptions, listOptionsOf } from '../options/list-options.ts';
import { showingCached } from '../conversion/show.ts';
import { respondList } from '../representation/respond.ts';
import { deleteObject } from './delete.ts';
import { readPage } from './list.ts';

export function* deleteCollection(exchange: Exchange): Process<void> {
  const listOptions = listOptionsOf(exchange, { isWatch: false });
  checkFieldLabels(listOptions.fieldSelector, exchange.routed.version);
  const options = deleteOptionsOf(exchange);
  // Even where there is nothing to delete.
  for (const text of exchange.routed.resource.strategy.warningsOnDelete?.(options) ?? []) exchange.warn(text);
  const { resourceVersion } = listOptions;
  if (resourceVersion !== '' && !/^[0-9]+$/.test(resourceVersion)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${goQuote(resourceVersion)}: strconv.ParseUint: parsing ${goQuote(resourceVersion)}: invalid syntax`,
    );
  }
  const page = yield* readPage(exchange, asOf(listOptions));
  const showing = showingCached(exchange, page.items);
  const show = typeof showing === 'function' ? showing : yield* showing;
  for (const { metadata } of page.items) {
    try {
      yield* deleteObject(exchange, metadata.name ?? '', options);
    } catch (error) {
      // Somebody else was faster: it is gone, as was asked.
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error;
    }
  }
  respondList(exchange, page, show);
}

/** What is to be deleted is listed as it was at the version that is named. */
function asOf(options: ListOptions): ListOptions {
  const { resourceVersion, resourceVersionMatch } = options;
  const isNamed = resourceVersion !== '' && resourceVersion !== '0' && resourceVersionMatch === '';
  return isNamed ? { ...options, resourceVersionMatch: 'Exact' } : options;
}
