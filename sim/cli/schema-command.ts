/** `kubesim schema`: the scenario language, for editors and for readers. */
import { Command } from 'commander';
import { languageReference, schemaText } from '../../scenarios/language/published-language.ts';

export function schemaCommand(): Command {
  return new Command('schema')
    .description('Print the JSON Schema of scenarios, or the reference of the language.')
    .option('--reference', 'the reference, in Markdown')
    .action(({ reference }: { readonly reference?: boolean }) => {
      process.stdout.write(reference ? languageReference() : schemaText());
    });
}
