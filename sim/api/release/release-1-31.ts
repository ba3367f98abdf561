/** Release 1.31. Its tables are generated; nothing of them is read before it is asked for. */
import { Catalog, type CatalogTables } from '../catalog/catalog.ts';
import type { KindTable } from '../catalog/builtin-kinds.ts';
import type { ResourceTable } from '../catalog/builtin-resources.ts';
import type { TypeTable } from '../catalog/builtin-types.ts';
import type { LabelTable } from '../catalog/field-labels.ts';
import type { ColumnTable, ColumnTexts } from '../catalog/printer-columns.ts';
import { COLUMNS } from '../catalog/tables/columns.ts';
import { COLUMN_TEXTS } from '../catalog/tables/column-texts.ts';
import { FIELD_LABELS } from '../catalog/tables/field-labels.ts';
import { KINDS } from '../catalog/tables/kinds.ts';
import { RESOURCES } from '../catalog/tables/resources.ts';
import { TYPE_TABLES } from '../catalog/tables/type-tables.ts';
import { gatesOf } from './gates-of-release.ts';
import type { Release, ServicePriorities } from './release.ts';

const TABLES: CatalogTables = {
  types: {
    groups: [...TYPE_TABLES.keys()],
    read: (group) => {
      const text = TYPE_TABLES.get(group);
      return text === undefined ? undefined : (JSON.parse(text) as TypeTable);
    },
  },
  kinds: () => JSON.parse(KINDS) as KindTable,
  resources: () => JSON.parse(RESOURCES) as ResourceTable,
  fieldLabels: () => JSON.parse(FIELD_LABELS) as LabelTable,
  columns: () => JSON.parse(COLUMNS) as ColumnTable,
  columnTexts: () => JSON.parse(COLUMN_TEXTS) as ColumnTexts,
};

const SERVICE_PRIORITIES: ServicePriorities = {
  '': [18_000, { v1: 1 }],
  apps: [17_800, { v1: 15 }],
  'events.k8s.io': [17_750, { v1: 15, v1beta1: 5 }],
  'authentication.k8s.io': [17_700, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'authorization.k8s.io': [17_600, { v1: 15 }],
  autoscaling: [17_500, { v1: 15, v2: 30 }],
  batch: [17_400, { v1: 15 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1alpha1: 1 }],
  'networking.k8s.io': [17_200, { v1: 15, v1beta1: 1 }],
  policy: [17_100, { v1: 15 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
  'storage.k8s.io': [16_800, { v1: 15, v1beta1: 11, v1alpha1: 1 }],
  'storagemigration.k8s.io': [16_800, { v1alpha1: 1 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'apiextensions.k8s.io': [16_700, { v1: 15 }],
  'scheduling.k8s.io': [16_600, { v1: 15 }],
  'coordination.k8s.io': [16_500, { v1: 15, v1alpha1: 9 }],
  'node.k8s.io': [16_300, { v1: 15 }],
  'discovery.k8s.io': [16_200, { v1: 15 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21, v1beta3: 18 }],
  'internal.apiserver.k8s.io': [16_000, { v1alpha1: 9 }],
  'resource.k8s.io': [15_900, { v1alpha3: 9 }],
};

export const RELEASE_1_31: Release = {
  versionInfo: {
    major: '1',
    minor: '31',
    gitVersion: 'v1.31.14+kubesim',
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.23.0',
    compiler: 'gc',
    platform: 'linux/amd64',
  },
  componentVersion: 'v1.31.14',
  catalog: new Catalog(TABLES),
  gates: gatesOf(31),
  rules: { servicePriorities: SERVICE_PRIORITIES },
};
