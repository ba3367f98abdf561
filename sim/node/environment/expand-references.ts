/** `$(NAME)` in values of variables and in commands becomes the value of that variable. Pure. Kubernetes 1.31. */
const REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

/** Names that are spoken of and not known. */
export const missingReferences = (text: string, known: ReadonlyMap<string, string>): readonly string[] =>
  [...text.matchAll(REFERENCE)].flatMap(([, name]) => (name === undefined || known.has(name) ? [] : [name]));

/** `$$` stands for `$`; what is not known stays as it is written. */
export const expandReferences = (text: string, known: ReadonlyMap<string, string>): string =>
  text.includes('$')
    ? text.replaceAll(REFERENCE, (whole, name: string | undefined) =>
        name === undefined ? '$' : (known.get(name) ?? whole),
      )
    : text;
