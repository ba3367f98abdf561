/** Is the answer for a person? Specification: "Query parameters" (`pretty`). */
import type { ApiRequest } from '../request/request.ts';

const PEOPLE = ['curl', 'Wget', 'Mozilla/5.0'];

export function isPrettyWanted({ query, headers }: ApiRequest): boolean {
  const wish = query.first('pretty');
  if (wish !== undefined)
    return (
      wish === '1' || wish === 'true' || wish === 't' || wish === 'T' || wish === 'TRUE' || wish === 'True'
    );
  const agent = headers['user-agent'] ?? '';
  return PEOPLE.some((name) => agent.startsWith(name));
}
