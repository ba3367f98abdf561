/** RuntimeClass: a pod takes its overhead and its scheduling from the class that it names. */
import { forbidden, plainError } from '../../../api/status.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import type { Pod } from '../../../api/types/core-v1.ts';
import type { RuntimeClass } from '../../../api/types/node-k8s-io-v1.ts';
import type { Draft } from '../../registry/strategy.ts';
import { type AdmissionAttributes, type AdmissionPlugin, shownName } from '../admission.ts';
import { unaskable } from '../unaskable-name.ts';

export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' && group === '' && resource === 'pods' && subresource === '',
  admit: (attributes) => {
    const { spec } = attributes.object as Draft<Pod>;
    if (!spec) return;
    const found =
      spec.runtimeClassName === undefined ? undefined : classOf(attributes, spec.runtimeClassName);
    setOverhead(attributes, spec, found);
    if (found?.scheduling) setScheduling(attributes, spec, found);
  },
  validate: (attributes) => {
    const { spec } = attributes.object as Pod;
    if (spec?.overhead === undefined) return;
    const { runtimeClassName } = spec;
    const found = runtimeClassName === undefined ? undefined : classOf(attributes, runtimeClassName);
    if (found?.overhead?.podFixed) return;
    throw forbidden(
      attributes.resource,
      shownName(attributes),
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  },
};

type DraftSpec = NonNullable<Draft<Pod>['spec']>;

function classOf(attributes: AdmissionAttributes, name: string): RuntimeClass {
  const { context, resource } = attributes;
  const found = context.lookup('runtimeclasses.node.k8s.io', '', name) as RuntimeClass | undefined;
  if (found) return found;
  const problem = unaskable(name);
  if (problem !== undefined) throw plainError(problem);
  throw forbidden(
    resource,
    shownName(attributes),
    `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`,
  );
}

function setOverhead(
  attributes: AdmissionAttributes,
  spec: DraftSpec,
  found: RuntimeClass | undefined,
): void {
  const overhead = found?.overhead?.podFixed;
  if (!overhead) return;
  const isGiven = Object.keys(spec.overhead ?? {}).length > 0;
  if (isGiven && !isEqualJson(spec.overhead, overhead)) {
    throw forbidden(
      attributes.resource,
      shownName(attributes),
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
  }
  spec.overhead = { ...overhead };
}

function setScheduling(attributes: AdmissionAttributes, spec: DraftSpec, { scheduling }: RuntimeClass): void {
  const selector = scheduling?.nodeSelector ?? {};
  for (const [key, value] of Object.entries(selector)) {
    const present = spec.nodeSelector?.[key];
    if (present === undefined || present === value) continue;
    throw forbidden(
      attributes.resource,
      shownName(attributes),
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${present}`,
    );
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...selector };
  const present = spec.tolerations ?? [];
  const added = (scheduling?.tolerations ?? []).filter(
    (toleration) => !present.some((own) => isEqualJson(own, toleration)),
  );
  if (added.length > 0) spec.tolerations = [...present, ...added.map((toleration) => ({ ...toleration }))];
}
