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

/** Of parts of a path: neither sign goes over a `/`. */
export const pathSource = (text: string): string =>
  literalSource(text)
    .replaceAll(String.raw`\*`, '[^/]*')
    .replaceAll(String.raw`\?`, '[^/]');

const MOST_FOUND = 1_000;

/** Which of the files, and of the directories that they are in, a source says, sorted; none whose name begins with a dot. */
export function foundBy(source: string, files: Iterable<string>): readonly string[] {
  const isAbsolute = source.startsWith('/');
  const paths = new Set<string>();
  for (const file of files)
    for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1)) paths.add(file.slice(0, end));
  const found = [...paths]
    .map((path) => (isAbsolute ? path : path.slice(1)))
    .filter((path) => !/(^|\/)\./.test(path) && fitsSource(path, source) === true);
  return found.sort().slice(0, MOST_FOUND);
}

/** Whether a text is wholly what a source says; undefined: that is no pattern. */
export function fitsSource(text: string, source: string): boolean | undefined {
  const made = goPattern(`(?s)^(?:${source})$`);
  return made.kind === 'pattern' ? made.pattern.test(text) : undefined;
}
