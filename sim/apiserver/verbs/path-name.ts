/** Names that could not be a segment of a path: whoever asks for such an object hears so, not that it is missing. */
import { goQuote } from '../../api/go-text.ts';
import { badRequest } from '../../api/status.ts';
import { pathSegmentName } from '../../api/validation/names.ts';

/** @throws ApiError BadRequest */
export function checkPathName(name: string): void {
  const findings = pathSegmentName(name);
  if (findings.length > 0)
    throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${findings.join(';')}`);
}
