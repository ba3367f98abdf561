/** What stages before any resource say where they are at a loss: a plain text with the address that was asked for. */
import { goQuote } from '../../api/go-text.ts';
import type { ApiRequest } from '../request/request.ts';

export const internalText = (request: ApiRequest, problem: string): string =>
  `${escapeMarkup(`Internal Server Error: ${addressOf(request)}: ${problem}`)}\n`;

/** As it came, with what was asked. */
function addressOf({ path, query }: ApiRequest): string {
  const asked = query.sent ?? query.toString();
  return goQuote(asked === '' ? path : `${path}?${asked}`);
}

/** Nothing of a plain text is to be taken for a page. */
const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
