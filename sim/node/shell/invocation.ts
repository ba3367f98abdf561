/** What `sh words…` is asked to run. */
export type Invocation =
  | { readonly kind: 'script'; readonly text: string; readonly given: readonly string[] }
  | { readonly kind: 'file'; readonly path: string; readonly given: readonly string[] }
  /** What comes from standard input. */
  | { readonly kind: 'session' };

/** `-c script name given…`, `file given…`, or neither; of the other options only `-e` means something. */
export function invocationOf(words: readonly string[]): Invocation {
  let [at, flags] = [0, ''];
  while (/^-[a-z]+$/.test(words[at] ?? '')) flags += words[at++];
  const [first, ...rest] = words.slice(at);
  if (flags.includes('c'))
    return {
      kind: 'script',
      text: `${flags.includes('e') ? 'set -e\n' : ''}${first ?? ''}`,
      given: rest.slice(1),
    };
  if (first === undefined || flags.includes('s')) return { kind: 'session' };
  return { kind: 'file', path: first, given: rest };
}
