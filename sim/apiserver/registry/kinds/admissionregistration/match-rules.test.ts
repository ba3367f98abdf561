import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { matchRuleErrors } from './match-rules.ts';

const messagesFor = (resources: readonly string[]): readonly string[] =>
  matchRuleErrors(
    { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources },
    FieldPath.of('rule'),
  ).map(({ message }) => message);

describe('all resources beside others', () => {
  it.each([[['*', 'pods']], [['*', 'pods', '*/status']]])(
    'are refused when a plain one comes last: %j',
    (resources) => {
      expect(messagesFor(resources)).toMatchObject([
        expect.stringContaining('must not specify other resources without subresources'),
      ]);
    },
  );

  it.each([[['pods', '*']], [['*', 'pods/status']], [['*']]])(
    'pass when they come last themselves: %j',
    (resources) => {
      expect(messagesFor(resources)).toEqual([]);
    },
  );
});
