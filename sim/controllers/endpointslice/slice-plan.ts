/**
 * How slices are to change so that they list the wanted endpoints: as few of them as possible are written. Endpoints with the
 * same ports lie together, at the most a hundred in a slice. Pure. Kubernetes 1.31.
 */
import { append } from '../../api/append.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';

export type AddressType = NonNullable<EndpointSlice['addressType']>;

export interface WantedGroup {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** A slice as it should be: `slice` is the one to be changed; without it one is made. */
export interface SliceWrite {
  readonly slice: EndpointSlice | undefined;
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly writes: readonly SliceWrite[];
  readonly removals: readonly EndpointSlice[];
}

export interface PlanOptions {
  readonly most: number;
  /** Those of others go with these: nothing is to be listed there. */
  readonly isOwned: (slice: EndpointSlice) => boolean;
  /** Whether a slice that lists what it should is written all the same. */
  readonly needsWrite: (slice: EndpointSlice) => boolean;
  /** There is to be a slice of each of these even if nothing is to be listed. */
  readonly placeholders: readonly AddressType[];
}

export function planSlices(
  groups: readonly WantedGroup[],
  present: readonly EndpointSlice[],
  options: PlanOptions,
): SlicePlan {
  const left = new Map<string, EndpointSlice[]>();
  for (const slice of present.filter(options.isOwned)) {
    const key = groupKey(slice.addressType, slice.ports ?? []);
    const known = left.get(key);
    if (known) known.push(slice);
    else left.set(key, [slice]);
  }
  const writes: SliceWrite[] = [];
  const removals = present.filter((slice) => !options.isOwned(slice));
  for (const group of groups) {
    const key = groupKey(group.addressType, group.ports);
    const plan = planGroup(group, left.get(key) ?? [], options);
    left.delete(key);
    append(writes, plan.writes);
    append(removals, plan.removals);
  }
  append(removals, [...left.values()].flat());
  return recycled(withPlaceholders({ writes, removals }, present, options), options);
}

const portText = ({ name = '', protocol = '', port, appProtocol = '' }: EndpointPort): string =>
  `${name} ${protocol} ${port ?? ''} ${appProtocol}`;

const groupKey = (addressType: string, ports: readonly EndpointPort[]): string =>
  `${addressType}:${ports.map(portText).sort().join()}`;

/** The same pod at the same address, whatever is said of it. */
const endpointKey = ({ addresses, targetRef, nodeName = '' }: Endpoint): string =>
  `${addresses.join()} ${targetRef?.uid ?? targetRef?.name ?? ''} ${nodeName}`;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function planGroup(
  { addressType, ports, endpoints }: WantedGroup,
  present: readonly EndpointSlice[],
  { most, needsWrite }: PlanOptions,
): SlicePlan {
  const wanted = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const unchanged: EndpointSlice[] = [];
  const changed: { readonly slice: EndpointSlice; readonly endpoints: Endpoint[] }[] = [];
  const removals: EndpointSlice[] = [];
  for (const slice of present) {
    const kept: Endpoint[] = [];
    for (const endpoint of slice.endpoints ?? []) {
      const key = endpointKey(endpoint);
      const found = wanted.get(key);
      if (found) kept.push(found);
      wanted.delete(key);
    }
    if (kept.length === 0) removals.push(slice);
    else if (!isSame(kept, slice.endpoints) || needsWrite(slice)) changed.push({ slice, endpoints: kept });
    else unchanged.push(slice);
  }
  const rest = [...wanted.values()];
  // Slices that are written anyway are filled up first, the fullest first.
  for (const each of [...changed].sort((a, b) => b.endpoints.length - a.endpoints.length))
    append(each.endpoints, rest.splice(0, most - each.endpoints.length));
  const writes: SliceWrite[] = changed.map((each) => ({ ...each, addressType, ports }));
  while (rest.length > 0) {
    // A slice that has just room enough for all of the rest is better than a new one.
    const fitting = unchanged
      .filter(({ endpoints: there }) => there.length + rest.length <= most)
      .sort((a, b) => b.endpoints.length - a.endpoints.length)[0];
    const own = fitting?.endpoints ?? [];
    if (fitting) unchanged.splice(unchanged.indexOf(fitting), 1);
    writes.push({
      slice: fitting,
      addressType,
      ports,
      endpoints: [...own, ...rest.splice(0, most - own.length)],
    });
  }
  return { writes, removals };
}

function withPlaceholders(
  { writes, removals }: SlicePlan,
  present: readonly EndpointSlice[],
  { placeholders, needsWrite }: PlanOptions,
): SlicePlan {
  const more: SliceWrite[] = [];
  let gone = removals;
  for (const addressType of placeholders) {
    const isOf = (each: { readonly addressType: string }): boolean => each.addressType === addressType;
    const stays = present.some((slice) => isOf(slice) && !removals.includes(slice));
    if (stays || writes.some(isOf)) continue;
    const empty = gone.find(
      (slice) =>
        isOf(slice) &&
        (slice.endpoints ?? []).length === 0 &&
        (slice.ports ?? []).length === 0 &&
        !needsWrite(slice),
    );
    if (empty) gone = gone.filter((slice) => slice !== empty);
    else more.push({ slice: undefined, addressType, ports: [], endpoints: [] });
  }
  return { writes: [...writes, ...more], removals: gone };
}

/** What would be removed is written over instead of making another. */
function recycled({ writes, removals }: SlicePlan, { isOwned }: PlanOptions): SlicePlan {
  const free = [...removals];
  const all = writes.map((write) => {
    if (write.slice) return write;
    const at = free.findIndex((slice) => slice.addressType === write.addressType && isOwned(slice));
    const [slice] = at < 0 ? [] : free.splice(at, 1);
    return { ...write, slice };
  });
  return { writes: all, removals: free };
}
