/**
 * Patterns of shells over one text: `*`, `?` and `[…]`. They are compiled for an engine that needs no more time than the
 * text is long, whatever a manifest says.
 */
import { goPattern } from '../../api/go-pattern.ts';

/** What stands for itself. */
export const literalSource = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

export const globSource = (text: string): string =>
  literalSource(text)
    .replaceAll(String.raw`\*`, '.*')
    .replaceAll(String.raw`\?`, '.')
    .replaceAll(/\\\[(?:!|\\\^)?((?:\\.|[^\\])+?)\\\]/g, (whole, inner: string) =>
      whole.startsWith('\\[!') || whole.startsWith('\\[\\^') ? `[^${inner}]` : `[${inner}]`,
    );

/** Whether a text is wholly what a source says; undefined: that is no pattern. */
export function fitsSource(text: string, source: string): boolean | undefined {
  const made = goPattern(`(?s)^(?:${source})$`);
  return made.kind === 'pattern' ? made.pattern.test(text) : undefined;
}
