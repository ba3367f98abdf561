/** The language as a reference for readers, in Markdown. */
import { describeShape, type Shape, type StructShape } from './shape.ts';

/** One section for each mapping of the language, in the order in which a reader meets them. */
/** `without`: what is shown elsewhere, with all that is in it. */
export function referenceOf(root: StructShape, without?: StructShape): string {
  const shown: StructShape[] = [];
  if (without) collect(without, shown);
  const structs = [...shown];
  collect(root, structs);
  return structs.slice(shown.length).map(section).join('\n');
}

function collect(shape: Shape, found: StructShape[]): void {
  switch (shape.kind) {
    case 'struct':
      if (found.some(({ name }) => name === shape.name)) return;
      found.push(shape);
      for (const field of Object.values(shape.fields)) collect(field.shape, found);
      return;
    case 'later':
      collect(shape.shape(), found);
      return;
    case 'list':
      collect(shape.item, found);
      return;
    case 'map':
      collect(shape.value, found);
      return;
    case 'either':
      for (const option of shape.options) collect(option, found);
      return;
    default:
  }
}

function section(shape: StructShape): string {
  const lines = [`### ${shape.name}`, '', shape.doc, ''];
  if (shape.verbs && Object.keys(shape.fields).length > shape.verbs.length)
    lines.push(`Exactly one of ${shape.verbs.map((verb) => `\`${verb}\``).join(', ')}.`, '');
  for (const [name, { shape: field, isRequired }] of Object.entries(shape.fields)) {
    lines.push(`- \`${name}\`${isRequired ? ' (required)' : ''}: ${holds(field)}. ${field.doc}`);
  }
  return `${lines.join('\n')}\n`;
}

function holds(shape: Shape): string {
  switch (shape.kind) {
    case 'struct':
      return `[${shape.name}](#${shape.name.toLowerCase()})`;
    case 'later':
      return holds(shape.shape());
    case 'list':
      return `list of ${holds(shape.item)}`;
    case 'either':
      return shape.options.map(holds).join(', or ');
    case 'map':
      return `mapping to ${holds(shape.value)}`;
    default:
      return describeShape(shape);
  }
}
