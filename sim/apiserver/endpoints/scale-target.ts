import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';
import type { Scale } from '../../api/types/autoscaling-v1.ts';
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import type { Release } from '../../api/release/release.ts';
import { nameIsDnsSubdomain } from '../../api/validation/names.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import type { TableClock, TableRow } from '../registry/table-row.ts';
import type { Target } from '../request/exchange.ts';

const GROUP = 'autoscaling';
const VERSION = 'v1';
const API_VERSION = `${GROUP}/${VERSION}`;

const builtIn = new WeakMap<Release, Target>();
const custom = new WeakMap<Release, Target>();

/**
 * The Scale as a resource of its own, so that patches and options work on it as on any object. `isCustom`: of a custom
 * resource, whose server has its own words for it.
 */
export function scaleTarget(release: Release, isCustom: boolean): Target {
  const rows = isCustom ? custom : builtIn;
  let row = rows.get(release);
  if (!row) rows.set(release, (row = scaleTargetOf(release.catalog.types, isCustom ? CUSTOM : BUILT_IN)));
  return row;
}

interface Shown {
  readonly goTypeName: string;
  readonly columns: readonly PrinterColumn[];
  readonly columnDescriptions: Readonly<Record<string, string>>;
}

const columnsOf = (nameFormat: string, ageType: string): readonly PrinterColumn[] => [
  { name: 'Name', type: 'string', format: nameFormat, priority: 0 },
  { name: 'Desired', type: 'integer', format: '', priority: 0 },
  { name: 'Available', type: 'integer', format: '', priority: 0 },
  { name: 'Age', type: ageType, format: '', priority: 0 },
];

const BUILT_IN: Shown = {
  goTypeName: 'autoscaling.Scale',
  columns: columnsOf('', 'string'),
  columnDescriptions: {
    Desired: 'replicas is the desired number of instances for the scaled object.',
    Available: 'replicas is the actual number of observed instances of the scaled object.',
  },
};

const CUSTOM: Shown = {
  goTypeName: 'v1.Scale',
  columns: columnsOf('name', 'date'),
  columnDescriptions: { Desired: 'Number of desired replicas', Available: 'Number of actual replicas' },
};

function tableRow({ metadata, spec, status }: Scale, clock: TableClock): TableRow {
  const age = clock.age(metadata.creationTimestamp);
  return { cells: [metadata.name ?? '', spec?.replicas ?? 0, status?.replicas ?? 0, age] };
}

function scaleTargetOf(types: BuiltinTypes, { goTypeName, columns, columnDescriptions }: Shown): Target {
  const schema = types.structOf(`${API_VERSION}.Scale`);
  const metaSchema = types.structOf('meta.k8s.io/v1.ObjectMeta');
  const version: ResourceVersion = {
    group: GROUP,
    version: VERSION,
    apiVersion: API_VERSION,
    kind: 'Scale',
    listKind: 'ScaleList',
    schema,
    metaSchema,
    verbs: new Set(),
    subresources: new Map(),
    fieldLabels: new Set(),
    unsupportedFieldLabel: '',
    columns,
  };
  const resource: Resource = {
    group: GROUP,
    resource: 'scale',
    singular: 'scale',
    kind: 'Scale',
    isNamespaced: true,
    shortNames: [],
    categories: [],
    versions: new Map([[VERSION, version]]),
    storagePrefix: '',
    storageApiVersion: API_VERSION,
    storageSchema: schema,
    metaSchema,
    strategy: { nameCheck: nameIsDnsSubdomain, tableRow },
    columnDescriptions,
    isCustom: false,
    goTypeName,
    convert: (object) => object,
  };
  return { resource, version };
}
