/** What a server says to itself of a name that it cannot ask for: such a name has no place in a path. */
import { goQuote } from '../../api/go-text.ts';
import { pathSegmentName } from '../../api/validation/names.ts';

/** Undefined: the name can be asked for. */
export function unaskable(name: string): string | undefined {
  if (name === '') return 'resource name may not be empty';
  const findings = pathSegmentName(name);
  return findings.length > 0 ? `invalid resource name ${goQuote(name)}: [${findings.join(' ')}]` : undefined;
}
