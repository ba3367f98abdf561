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

const rows = new WeakMap<Release, Target>();

/** The Scale as a resource of its own, so that patches and options work on it as on any object. */
export function scaleTarget(release: Release): Target {
  let row = rows.get(release);
  if (!row) rows.set(release, (row = scaleTargetOf(release.catalog.types)));
  return row;
}

const COLUMNS: readonly PrinterColumn[] = [
  { name: 'Name', type: 'string', format: '', priority: 0 },
  { name: 'Desired', type: 'integer', format: '', priority: 0 },
  { name: 'Available', type: 'integer', format: '', priority: 0 },
  { name: 'Age', type: 'string', format: '', priority: 0 },
];

function tableRow({ metadata, spec, status }: Scale, clock: TableClock): TableRow {
  const age = clock.age(metadata.creationTimestamp);
  return { cells: [metadata.name ?? '', spec?.replicas ?? 0, status?.replicas ?? 0, age] };
}

function scaleTargetOf(types: BuiltinTypes): Target {
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
    columns: COLUMNS,
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
    columnDescriptions: {
      Desired: 'replicas is the desired number of instances for the scaled object.',
      Available: 'replicas is the actual number of observed instances of the scaled object.',
    },
    isCustom: false,
    goTypeName: 'autoscaling.Scale',
    convert: (object) => object,
  };
  return { resource, version };
}
