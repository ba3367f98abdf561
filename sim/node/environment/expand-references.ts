/** `$(NAME)` in values of variables and in commands becomes the value of that variable. Pure. Kubernetes 1.31. */
const REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

/** `$$` stands for `$`; what is not known stays as it is written. */
export const expandReferences = (text: string, known: ReadonlyMap<string, string>): string =>
  text.includes('$')
    ? text.replaceAll(REFERENCE, (whole, name: string | undefined) =>
        name === undefined ? '$' : (known.get(name) ?? whole),
      )
    : text;
