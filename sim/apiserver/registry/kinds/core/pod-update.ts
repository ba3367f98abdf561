/** What of a pod may change after it was created: hardly anything but images. */
import type { FieldError } from '../../../../api/status.ts';
import type { Affinity, Container, Pod, PodSpec, Toleration } from '../../../../api/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { rangeFinding } from '../../../../api/validation/names.ts';
import { jsonKey } from '../../../../api/json-key.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { qosClassOf } from '../../../../api/pod/qos-class.ts';
import { changedDespite } from '../go-value.ts';
import { validateTrimmedImage } from '../pod-spec/validate-containers.ts';
import { MAX_DEADLINE_SECONDS } from '../pod-spec/validate-pod-spec.ts';
import { validateTolerations } from '../pod-spec/validate-scheduling.ts';

const NONE: readonly FieldError[] = [];
const SPEC = FieldPath.of('spec');
const FIXED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export function validatePodChange(pod: Pod, old: Pod): readonly FieldError[] {
  const spec = pod.spec ?? NO_SPEC;
  const before = old.spec ?? NO_SPEC;
  if (countOf(spec.containers) !== countOf(before.containers)) {
    return [forbidden(SPEC.child('containers'), 'pod updates may not add or remove containers')];
  }
  const images = imageErrors(spec.containers, SPEC.child('containers'));
  if (countOf(spec.initContainers) !== countOf(before.initContainers)) {
    return [
      ...images,
      forbidden(SPEC.child('initContainers'), 'pod updates may not add or remove containers'),
    ];
  }
  return [
    ...images,
    ...imageErrors(spec.initContainers, SPEC.child('initContainers')),
    ...validateDeadline(spec, before),
    ...validateAddedTolerations(spec, before),
    ...validateGates(spec, before),
    ...validateQos(spec, before),
    ...validateRest(spec, before),
  ];
}

const NO_SPEC: PodSpec = { containers: [] };

const imageErrors = (
  containers: readonly Container[] | null | undefined,
  path: FieldPath,
): readonly FieldError[] =>
  (containers ?? []).flatMap((container, at) =>
    container.image
      ? validateTrimmedImage(container, path.index(at))
      : [required(path.index(at).child('image'))],
  );

/** Even a mandatory list may be null. */
const countOf = (list: readonly unknown[] | null | undefined): number => list?.length ?? 0;

function validateDeadline(spec: PodSpec, before: PodSpec): readonly FieldError[] {
  const path = SPEC.child('activeDeadlineSeconds');
  const { activeDeadlineSeconds: seconds } = spec;
  const { activeDeadlineSeconds: old } = before;
  if (seconds === undefined) {
    return old === undefined
      ? NONE
      : [invalid(path, undefined, 'must not update from a positive integer to nil value')];
  }
  if (seconds < 0 || seconds > MAX_DEADLINE_SECONDS) {
    return [invalid(path, seconds, rangeFinding(0, MAX_DEADLINE_SECONDS))];
  }
  if (old === undefined || seconds <= old) return NONE;
  return [invalid(path, seconds, 'must be less than or equal to previous value')];
}

/** Those of a pod that only got more are judged once more. */
function validateAddedTolerations({ tolerations = [] }: PodSpec, before: PodSpec): readonly FieldError[] {
  const keyOf = ({ tolerationSeconds: _seconds, ...rest }: Toleration): string => jsonKey(rest);
  const present = new Set(tolerations.map(keyOf));
  const isKept = (before.tolerations ?? []).every((old) => present.has(keyOf(old)));
  const why = 'existing toleration can not be modified except its tolerationSeconds';
  const path = SPEC.child('tolerations');
  return isKept ? validateTolerations(tolerations, path) : [forbidden(path, why)];
}

function validateGates({ schedulingGates = [] }: PodSpec, before: PodSpec): readonly FieldError[] {
  const old = new Set((before.schedulingGates ?? []).map(({ name }) => name));
  return schedulingGates.flatMap(({ name }, at) =>
    old.has(name)
      ? NONE
      : [
          forbidden(
            SPEC.child('schedulingGates').index(at).child('name'),
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** The class that is shown is the one of the status, which no update of the pod changes. */
function validateQos(spec: PodSpec, before: PodSpec): readonly FieldError[] {
  const old = qosClassOf(before);
  return qosClassOf(spec) === old ? NONE : [invalid(FieldPath.of('metadata'), old, 'Pod QoS is immutable')];
}

/** Everything else has to be as it was. */
function validateRest(spec: PodSpec, before: PodSpec): readonly FieldError[] {
  const isGated = (before.schedulingGates?.length ?? 0) > 0;
  const after = withAllowedChanges(spec, before, isGated);
  if (isEqualJson(after, before)) return NONE;
  return [changedDespite(SPEC, `${FIXED}\n`, { type: 'v1.PodSpec', before, after })];
}

/** The new spec with what may change put back to what it was. */
function withAllowedChanges(spec: PodSpec, before: PodSpec, isGated: boolean): PodSpec {
  const isGraceFixed =
    (before.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  const merged: PodSpec = {
    ...spec,
    containers: withImages(spec.containers, before.containers),
    ...(spec.initContainers && {
      initContainers: withImages(spec.initContainers, before.initContainers ?? []),
    }),
  };
  let same = keep(merged, before, ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']);
  if (isGraceFixed) same = keep(same, before, ['terminationGracePeriodSeconds']);
  if (isGated && addsOnly(spec.nodeSelector ?? {}, before.nodeSelector ?? {}))
    same = keep(same, before, ['nodeSelector']);
  if (isGated && narrowsNodes(spec.affinity, before.affinity)) same = keep(same, before, ['affinity']);
  return same;
}

function keep(spec: PodSpec, before: PodSpec, names: readonly (keyof PodSpec)[]): PodSpec {
  const copy = { ...spec };
  for (const name of names) {
    if (before[name] === undefined) Reflect.deleteProperty(copy, name);
    else Reflect.set(copy, name, before[name]);
  }
  return copy;
}

const withImages = (containers: readonly Container[], before: readonly Container[]): readonly Container[] =>
  containers.map((container, at) => {
    const image = before[at]?.image;
    return image === undefined ? container : { ...container, image };
  });

const addsOnly = (now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): boolean =>
  Object.keys(before).every((key) => now[key] === before[key]);

/** A gated pod may get a node affinity, or requirements beside those that it has. */
function narrowsNodes(now: Affinity | undefined, before: Affinity | undefined): boolean {
  const { nodeAffinity: old, ...others } = before ?? {};
  const { nodeAffinity: own, ...rest } = now ?? {};
  if (!isEqualJson(others, rest)) return false;
  const terms = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms) return true;
  const present = own?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return (
    present.length === terms.length &&
    terms.every((term, at) =>
      (['matchExpressions', 'matchFields'] as const).every((list) => {
        const before = term[list] ?? [];
        return isEqualJson((present[at]?.[list] ?? []).slice(0, before.length), before);
      }),
    )
  );
}
