/**
 * What somebody else has read of a YAML text, so that a large one does not keep everybody waiting: its value, or why
 * there is none.
 */
import type { ParsedYaml } from '../../api/codec/yaml.ts';
import type { ApiError } from '../../api/status.ts';

export type ReadYaml =
  | ({ readonly kind: 'value' } & ParsedYaml)
  /** In the words of Go's parser. */
  | { readonly kind: 'unreadable'; readonly message: string }
  /** It was not read to its end. */
  | { readonly kind: 'refused'; readonly error: ApiError };
