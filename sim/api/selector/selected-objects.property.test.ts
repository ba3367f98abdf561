/**
 * What selectors select, beside a filter by hand: labels and fields by texts as anybody may type them, labels by the
 * selectors of objects, nodes by the terms of pods, and taints by tolerations. What a selector says of itself, its canonical
 * text and the one value that a field must have, means the same as the selector.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Node, NodeSelectorTerm, Taint, Toleration } from '../types/core-v1.ts';
import { type FieldRequirement, parseFieldSelector } from './field-selector.ts';
import { type Labels, labelSelectorOf, selectorOfLabels } from './label-selector.ts';
import { parseLabelSelector } from './label-selector-parser.ts';
import { wantsNode } from './node-selector.ts';
import { tolerates } from './toleration.ts';

const RUNS = 500;
/** Words of the grammar are words elsewhere. */
const key = fc.constantFrom('a', 'b', 'in', 'x.io/notin');
const value = fc.constantFrom('', 'u', 'v', 'in', '0', '7', '10', '-');
const number = fc.constantFrom('0', '7', '8', '10');
const anyLabels: fc.Arbitrary<Labels> = fc.dictionary(
  key,
  value.filter((text) => text !== '-'),
  { maxKeys: 3, noNullPrototype: true },
);

type Operator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';

interface Wish {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

const labelValue = value.filter((text) => text !== '-');
const wish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom<Operator>('=', '==', '!='),
    values: fc.tuple(labelValue),
  }),
  fc.record({
    key,
    operator: fc.constantFrom<Operator>('in', 'notin'),
    // One comma after another says one empty value; more of them are no list.
    values: fc.uniqueArray(labelValue, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, operator: fc.constantFrom<Operator>('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom<Operator>('>', '<'), values: fc.tuple(number) }),
);
const wishes = fc.array(wish, { maxLength: 3 });

const isNumber = (text: string): boolean => /^\d+$/.test(text);

function isMet({ key: name, operator, values }: Wish, labels: Labels): boolean {
  const found = labels[name];
  const bound = Number(values[0]);
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return found !== undefined && values.includes(found);
    case '!=':
    case 'notin':
      return !(found !== undefined && values.includes(found));
    case 'exists':
      return found !== undefined;
    case '!':
      return found === undefined;
    case '>':
      return found !== undefined && isNumber(found) && Number(found) > bound;
    case '<':
      return found !== undefined && isNumber(found) && Number(found) < bound;
  }
}

/** With white space wherever it may be. */
function typed({ key: name, operator, values }: Wish, space: string): string {
  if (operator === 'exists') return `${space}${name}${space}`;
  if (operator === '!') return `!${space}${name}${space}`;
  if (operator === 'in' || operator === 'notin')
    return `${name} ${operator}${space}(${space}${values.join(`${space},`)}${space})`;
  return `${name}${space}${operator}${space}${values[0] ?? ''}${space}`;
}

const space = fc.constantFrom('', ' ', '\t ');

it('a text selects the labels that meet all that it says', () => {
  fc.assert(
    fc.property(wishes, space, fc.array(anyLabels, { minLength: 1, maxLength: 5 }), (all, gap, objects) => {
      const selector = parseLabelSelector(all.map((one) => typed(one, gap)).join(','));
      const again = parseLabelSelector(selector.text);
      expect(again.text).toBe(selector.text);
      expect(selector.isEverything).toBe(all.length === 0);
      for (const labels of objects) {
        const wanted = all.every((one) => isMet(one, labels));
        expect([selector.matches(labels), again.matches(labels)]).toEqual([wanted, wanted]);
      }
      expect(selector.matches(undefined)).toBe(all.every((one) => isMet(one, {})));
    }),
    asOftenAs(RUNS),
  );
});

const API_WORDS = { in: 'In', notin: 'NotIn', exists: 'Exists', '!': 'DoesNotExist' } as const;

it('a selector of an object selects what its labels and its expressions both do', () => {
  fc.assert(
    fc.property(anyLabels, wishes, anyLabels, (matchLabels, drawn, labels) => {
      const all = drawn.filter(({ operator }) => operator in API_WORDS);
      const matchExpressions = all.map(({ key: name, operator, values }) => ({
        key: name,
        operator: API_WORDS[operator as keyof typeof API_WORDS],
        values,
      }));
      const hasLabels = Object.entries(matchLabels).every(([name, text]) => labels[name] === text);
      expect(selectorOfLabels(matchLabels).matches(labels)).toBe(hasLabels);
      const selector = labelSelectorOf({ matchLabels, matchExpressions });
      expect(selector.matches(labels)).toBe(hasLabels && all.every((one) => isMet(one, labels)));
      expect(labelSelectorOf(undefined).matches(labels)).toBe(false);
      expect(labelSelectorOf({}).matches(labels)).toBe(true);
    }),
    asOftenAs(RUNS),
  );
});

const FIELDS = ['metadata.name', 'status.phase', 'type'] as const;
const fieldValue = fc.constantFrom('', 'u', 'v', 'u,v', 'k=v', '\\', 'a\\,b');
const fieldWish: fc.Arbitrary<FieldRequirement> = fc.record({
  field: fc.constantFrom(...FIELDS),
  operator: fc.constantFrom('=', '!='),
  value: fieldValue,
});
const fieldsOfObject = fc.dictionary(fc.constantFrom(...FIELDS), fieldValue, { noNullPrototype: true });

it('a text selects the fields that it says, escaped or not, and narrows to no others', () => {
  fc.assert(
    fc.property(
      fc.array(fieldWish, { maxLength: 3 }),
      fc.boolean(),
      fc.array(fieldsOfObject, { minLength: 1, maxLength: 5 }),
      (all, isDoubled, objects) => {
        const terms = all.map(({ field, operator, value: wanted }) => {
          const sign = operator === '=' && isDoubled ? '==' : operator;
          return `${field}${sign}${wanted.replaceAll(/[\\,=]/g, (each) => `\\${each}`)}`;
        });
        const selector = parseFieldSelector(terms.join(isDoubled ? ',,' : ','));
        const again = parseFieldSelector(selector.text);
        for (const fields of objects) {
          const isWanted = all.every(
            ({ field, operator, value: wanted }) => ((fields[field] ?? '') === wanted) === (operator === '='),
          );
          expect([selector.matches(fields), again.matches(fields)]).toEqual([isWanted, isWanted]);
        }
        for (const field of FIELDS) {
          const named = all.filter((one) => one.field === field && one.operator === '=');
          const required = selector.requiredValue(field);
          expect(named.length === 0 ? [undefined] : named.map((one) => one.value)).toContain(required);
        }
      },
    ),
    asOftenAs(RUNS),
  );
});

const NODE_WORDS = {
  in: 'In',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
  '>': 'Gt',
  '<': 'Lt',
} as const;
const isNodeWord = (operator: Operator): operator is keyof typeof NODE_WORDS => operator in NODE_WORDS;

interface Term {
  readonly labels: readonly Wish[];
  readonly name: { readonly operator: 'in' | 'notin'; readonly value: string } | undefined;
}

const anyTerm: fc.Arbitrary<Term> = fc.record({
  labels: fc.array(
    wish.filter(({ operator }) => isNodeWord(operator)),
    { maxLength: 2 },
  ),
  name: fc.option(
    fc.record({ operator: fc.constantFrom('in', 'notin'), value: fc.constantFrom('n1', 'n2') }),
    { nil: undefined },
  ),
});

const written = ({ labels, name }: Term): NodeSelectorTerm => ({
  matchExpressions: labels.flatMap(({ key: label, operator, values }) =>
    isNodeWord(operator) ? [{ key: label, operator: NODE_WORDS[operator], values }] : [],
  ),
  ...(name && {
    matchFields: [{ key: 'metadata.name', operator: NODE_WORDS[name.operator], values: [name.value] }],
  }),
});

function isTermMet({ labels, name }: Term, node: Node): boolean {
  if (labels.length === 0 && !name) return false;
  const isNamed = !name || (node.metadata.name === name.value) === (name.operator === 'in');
  return isNamed && labels.every((one) => isMet(one, node.metadata.labels ?? {}));
}

it('a pod wants the nodes of its selector and of any of its terms', () => {
  fc.assert(
    fc.property(
      fc.option(anyLabels, { nil: undefined }),
      fc.option(fc.array(anyTerm, { minLength: 1, maxLength: 3 }), { nil: undefined }),
      anyLabels,
      (nodeSelector, terms, labels) => {
        const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } };
        const nodeSelectorTerms = terms?.map(written) ?? [];
        const affinity = {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
        };
        const found = wantsNode({ ...(nodeSelector && { nodeSelector }), ...(terms && { affinity }) }, node);
        const hasLabels = Object.entries(nodeSelector ?? {}).every(([name, text]) => labels[name] === text);
        expect(found).toBe(hasLabels && (!terms || terms.some((term) => isTermMet(term, node))));
      },
    ),
    asOftenAs(RUNS),
  );
});

const effect = fc.constantFrom<Taint['effect']>('NoSchedule', 'PreferNoSchedule', 'NoExecute');
const anyTaint: fc.Arbitrary<Taint> = fc.record(
  { key: fc.constantFrom('a', 'b'), value: fc.constantFrom('', 'u', 'v'), effect },
  { requiredKeys: ['key', 'effect'] },
);
const anyToleration = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('Exists', 'Equal'),
    value: fc.constantFrom('', 'u', 'v'),
    effect,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Toleration>;

it('a toleration covers the taints that it names, all of them only where it says so', () => {
  fc.assert(
    fc.property(anyToleration, anyTaint, (toleration, taint) => {
      const isOfEffect = !toleration.effect || toleration.effect === taint.effect;
      const isAny = toleration.operator === 'Exists' && !toleration.key;
      const isOfKey = isAny || toleration.key === taint.key;
      const isOfValue = toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
      expect(tolerates(toleration, taint)).toBe(isOfEffect && isOfKey && isOfValue);
    }),
    asOftenAs(RUNS),
  );
});
