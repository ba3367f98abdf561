/**
 * What is known of the built-in types, kinds and resources of one release. Tables are read when something of them is
 * asked for, those of types by group; what is made of them is made once. Several catalogs may live side by side.
 */
import { BuiltinKinds, type KindTable } from './builtin-kinds.ts';
import { BuiltinResources, type ResourceTable } from './builtin-resources.ts';
import { BuiltinTypes, type TypeTables } from './builtin-types.ts';
import { BuiltinFieldLabels, type LabelTable } from './field-labels.ts';
import { BuiltinColumns, type ColumnTable, type ColumnTexts } from './printer-columns.ts';

/** Each is read at most once. */
export interface CatalogTables {
  readonly types: TypeTables;
  kinds(): KindTable;
  resources(): ResourceTable;
  fieldLabels(): LabelTable;
  columns(): ColumnTable;
  columnTexts(): ColumnTexts;
}

export class Catalog {
  readonly tables: CatalogTables;
  readonly types: BuiltinTypes;
  readonly kinds: BuiltinKinds;
  readonly resources: BuiltinResources;
  readonly fieldLabels: BuiltinFieldLabels;
  readonly columns: BuiltinColumns;

  constructor(tables: CatalogTables) {
    this.tables = tables;
    this.types = new BuiltinTypes(tables.types);
    this.kinds = new BuiltinKinds(() => tables.kinds());
    this.resources = new BuiltinResources(() => tables.resources());
    this.fieldLabels = new BuiltinFieldLabels(() => tables.fieldLabels());
    this.columns = new BuiltinColumns(
      () => tables.columns(),
      () => tables.columnTexts(),
    );
  }
}
