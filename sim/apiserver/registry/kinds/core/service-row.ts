/** The row of a service in a Table. */
import { compareStrings } from '../../../../api/go-text.ts';
import type { Service, ServicePort } from '../../../../api/types/core-v1.ts';
import type { TableClock, TableRow } from '../../table-row.ts';

export function serviceRow({ metadata, spec = {}, status }: Service, { age }: TableClock): TableRow {
  return {
    cells: [
      metadata.name,
      spec.type ?? '',
      spec.clusterIPs?.[0] || spec.clusterIP || '<none>',
      externalText({ spec, status }),
      portsText(spec.ports ?? []),
      age(metadata.creationTimestamp),
      selectorText(spec.selector ?? {}),
    ],
  };
}

function externalText({
  spec = {},
  status,
}: Pick<Service, 'spec'> & { readonly status: Service['status'] | undefined }): string {
  const own = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer': {
      const given = (status?.loadBalancer?.ingress ?? [])
        .map(({ ip, hostname }) => ip || hostname || '')
        .filter(Boolean);
      const unique = [...new Set(given)].sort(compareStrings);
      if (own.length > 0) return [...unique, ...own].join(',');
      return unique.join(',') || '<pending>';
    }
    default:
      return own.join(',') || '<none>';
  }
}

const portsText = (ports: readonly ServicePort[]): string =>
  ports
    .map(({ port, nodePort, protocol = '' }) =>
      nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
    )
    .join(',') || '<none>';

const selectorText = (selector: Readonly<Record<string, string>>): string =>
  Object.keys(selector)
    .sort(compareStrings)
    .map((key) => `${key}=${selector[key] ?? ''}`)
    .join(',') || '<none>';
