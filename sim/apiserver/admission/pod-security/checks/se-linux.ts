/** Baseline: SELinux types are those of containers; user and role stay as they are. */
import type { SELinuxOptions } from '../../../../api/types/core-v1.ts';
import { type Find, plural, type PodCheck, quoted, settersText, sortedSet } from '../check.ts';

const FIRST_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const finds =
  (types: ReadonlySet<string>): Find =>
  ({ spec, containers }) => {
    const isForbidden = (options: SELinuxOptions | undefined): boolean =>
      options !== undefined &&
      (!types.has(options.type ?? '') || Boolean(options.user) || Boolean(options.role));
    const ofPod = spec.securityContext?.seLinuxOptions;
    const bad = containers.filter(({ securityContext }) => isForbidden(securityContext?.seLinuxOptions));
    const setters = settersText(isForbidden(ofPod), bad);
    if (setters === '') return undefined;
    const all = [ofPod, ...bad.map(({ securityContext }) => securityContext?.seLinuxOptions)];
    const badTypes = sortedSet(all.map((options) => options?.type ?? '').filter((type) => !types.has(type)));
    const details = [
      ...(badTypes.length > 0 ? [`${plural('type', badTypes.length)} ${quoted(badTypes)}`] : []),
      ...(all.some((options) => options?.user) ? ['user may not be set'] : []),
      ...(all.some((options) => options?.role) ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${details.join('; ')}`,
    };
  };

export const seLinuxOptions: PodCheck = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { since: 0, find: finds(new Set(FIRST_TYPES)) },
    { since: 31, find: finds(new Set([...FIRST_TYPES, 'container_engine_t'])) },
  ],
};
