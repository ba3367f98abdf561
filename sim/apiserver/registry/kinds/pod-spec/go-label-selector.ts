/** Label selectors as Go's `%#v` prints them: validation messages show them so. */
import { goStringMap, goStringSlice, goStruct, GoSyntax } from '../../../../api/go-text.ts';
import { goValueJson } from '../../../../api/codec/go-value-json.ts';
import { RELEASE_1_31 } from '../../../../api/release/release-1-31.ts';
import type { LabelSelector } from '../../../../api/types/meta-k8s-io-v1.ts';

export function goLabelSelector(selector: LabelSelector | null | undefined): GoSyntax {
  const { matchLabels, matchExpressions } = selector ?? {};
  const expressions = matchExpressions?.map(({ key, operator, values }) =>
    goStruct('v1.LabelSelectorRequirement', [
      ['Key', key],
      ['Operator', operator],
      ['Values', goStringSlice(values ?? undefined)],
    ]),
  );
  const list = expressions ? `{${expressions.map(({ text }) => text).join(', ')}}` : '(nil)';
  const { text } = goStruct('v1.LabelSelector', [
    ['MatchLabels', goStringMap(matchLabels)],
    ['MatchExpressions', new GoSyntax(`[]v1.LabelSelectorRequirement${list}`)],
  ]);
  return new GoSyntax(text, goValueJson(RELEASE_1_31.catalog.types.structOf(SELECTOR), selector));
}

const SELECTOR = 'meta.k8s.io/v1.LabelSelector';
