/** Is the answer for a person? Specification: "Query parameters" (`pretty`). */
import type { ApiRequest } from '../request/request.ts';
import type { Negotiated } from './negotiate.ts';

const PEOPLE = ['curl', 'Wget', 'Mozilla/5.0'];

export function isPrettyWanted({ query, headers }: ApiRequest, accepted: Negotiated | undefined): boolean {
  if (accepted?.isPretty === true) return true;
  const wish = query.first('pretty');
  if (wish)
    return (
      wish === '1' || wish === 'true' || wish === 't' || wish === 'T' || wish === 'TRUE' || wish === 'True'
    );
  const agent = headers['user-agent'] ?? '';
  return PEOPLE.some((name) => agent.startsWith(name));
}
