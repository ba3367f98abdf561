import { describe, expect, it } from 'vitest';
import { type JudgedReview, WebhookRules } from './webhook-rules.ts';

const KEY = '/registry/configmaps/default/a';
const objectOf = (version: string, data = {}): object => ({
  metadata: { name: 'a', uid: 'u', resourceVersion: version },
  data,
});
const review = (answers: string, more: Partial<JudgedReview> = {}, dryRun = false): JudgedReview => ({
  webhook: 'guard',
  answers,
  failsClosed: true,
  sideEffects: 'None',
  request: { operation: 'CREATE', dryRun, object: objectOf('') },
  ...more,
});

function rulesAfter(...reviews: readonly JudgedReview[]): WebhookRules {
  const rules = new WebhookRules(() => 7);
  for (const each of reviews) rules.judged(each);
  return rules;
}

describe('rules about webhooks', () => {
  it('find what was stored though it was denied', () => {
    const rules = rulesAfter(review('deny'));
    rules.stored(KEY, objectOf('5'));
    expect(rules.violations).toEqual([
      { rule: 'denials-hold', at: 7, message: `${KEY} was stored as guard had denied it` },
    ]);
  });

  it('let be what is another state, was allowed later, or is guarded by nobody any more', () => {
    const other = rulesAfter(review('deny'));
    other.stored(KEY, objectOf('5', { k: 'v' }));
    const allowed = rulesAfter(review('deny'), review('allow'));
    allowed.stored(KEY, objectOf('5'));
    const open = rulesAfter(review('deny', { failsClosed: false }));
    open.stored(KEY, objectOf('5'));
    const gone = rulesAfter(review('deny'));
    gone.removed('/registry/validatingwebhookconfigurations/guard');
    gone.stored(KEY, objectOf('5'));
    const late = new WebhookRules(() => 7);
    late.removed('/registry/validatingwebhookconfigurations/guard');
    late.judged(review('deny'));
    late.stored(KEY, objectOf('5'));
    for (const rules of [other, allowed, open, gone, late]) expect(rules.violations).toEqual([]);
  });

  it('find dry runs that ask whoever does something', () => {
    expect(rulesAfter(review('allow', {}, true)).violations).toEqual([]);
    expect(rulesAfter(review('allow', { sideEffects: 'Some' }, true)).violations).toMatchObject([
      { rule: 'dry-runs-are-harmless' },
    ]);
  });
});
