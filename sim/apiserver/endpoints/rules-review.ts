/** SelfSubjectRulesReview: all that the asking user may do in a namespace. */
import type { Process } from '../../engine/process.ts';
import { badRequest } from '../../api/status.ts';
import type { PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { Exchange } from '../request/exchange.ts';
import { readReview, respondReview } from './review-object.ts';

export function* selfSubjectRulesReview(exchange: Exchange): Process<void> {
  const { draft, validate } = yield* readReview(exchange);
  const { namespace = '' } = (draft['spec'] ?? {}) as { readonly namespace?: string };
  if (namespace === '') throw badRequest('no namespace on request');
  yield* validate();
  const known = exchange.authorizer.rulesFor(exchange.user, namespace);
  const { rules, problems, isIncomplete = false } = known;
  respondReview(
    exchange,
    draft,
    {},
    {
      spec: {},
      status: {
        resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
        nonResourceRules: rules
          .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
          .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
        incomplete: isIncomplete,
        ...(problems.length > 0 && {
          evaluationError: problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`,
        }),
      },
    },
  );
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object => ({
  verbs,
  ...(apiGroups && { apiGroups }),
  ...(resources && { resources }),
  ...(resourceNames && resourceNames.length > 0 && { resourceNames }),
});
