/** DELETE of a collection: every selected object by the rules of DELETE; answers with the list as it was before. */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { deleteOptionsOf } from '../options/delete-options.ts';
import { listOptionsOf } from '../options/list-options.ts';
import { showingCached } from '../conversion/show.ts';
import { respondList } from '../representation/respond.ts';
import { deleteObject } from './delete.ts';
import { readPage } from './list.ts';

export function* deleteCollection(exchange: Exchange): Process<void> {
  const listOptions = listOptionsOf(exchange.request.query, { isWatch: false, isWatchListEnabled: false });
  const options = deleteOptionsOf(exchange);
  const { resourceVersion } = listOptions;
  if (resourceVersion !== '' && !/^[0-9]+$/.test(resourceVersion)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    );
  }
  const isExact = listOptions.resourceVersionMatch === 'Exact';
  const page = yield* readPage(exchange, listOptions);
  const showing = showingCached(exchange, page.items);
  const show = typeof showing === 'function' ? showing : yield* showing;
  for (const { metadata } of page.items) {
    const version = metadata.resourceVersion;
    const preconditions =
      isExact && version !== undefined
        ? { ...options.preconditions, resourceVersion: version }
        : options.preconditions;
    try {
      yield* deleteObject(exchange, metadata.name ?? '', {
        ...options,
        ...(preconditions && { preconditions }),
      });
    } catch (error) {
      // Somebody else was faster: it is gone, as was asked.
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error;
    }
  }
  respondList(exchange, page, show);
}
