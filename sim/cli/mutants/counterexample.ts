/** What a property tells that broke: how long the list of acts is that it comes to, and what went wrong after them. */

export interface Counterexample {
  /** Of the list; 1, where a single value was drawn. */
  readonly steps: number;
  readonly text: string;
}

const MARK = 'Counterexample: ';

/** Undefined: the message speaks of none. */
export function counterexampleIn(message: string): Counterexample | undefined {
  const from = message.indexOf(MARK);
  if (from < 0) return undefined;
  const [text = ''] = message.slice(from + MARK.length).split('\nShrunk ');
  const [list = '', ...others] = elementsOf(text);
  const isList = others.length === 0 && list.startsWith('[');
  return { steps: isList ? elementsOf(list).length : 1, text };
}

/** Of `[a,b(c,[d]),"e,f"]`: what its commas part, and not those within. */
function elementsOf(list: string): readonly string[] {
  const elements: string[] = [];
  let [depth, start, isQuoted] = [0, 1, false];
  for (let at = 0; at < list.length; at += 1) {
    const letter = list[at] ?? '';
    if (isQuoted) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isQuoted = false;
      continue;
    }
    if (letter === '"') isQuoted = true;
    else if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) depth -= 1;
    const isEnd = depth === 0 && at > 0;
    if (isEnd || (letter === ',' && depth === 1)) {
      const element = list.slice(start, at).trim();
      if (element !== '') elements.push(element);
      start = at + 1;
    }
    if (isEnd) break;
  }
  return elements;
}
