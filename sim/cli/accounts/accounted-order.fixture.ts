/**
 * Any order of acts on a cluster, beside a model, with accounts: what the first runs of a property came to when somebody
 * last looked is kept as a snapshot beside the test. What breaks no promise shows there as a difference; who means it
 * writes it down anew (`npm run accounts`).
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { type AnyOrder, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { Account } from './account.ts';

/** @throws as `holdsInAnyOrder` does, and where runs come to something else than before */
export function holdsInAnyOrderAsBefore<Subject extends { readonly cluster: Cluster }>(
  options: AnyOrder<Subject>,
): void {
  const accounts = new WeakMap<Subject, Account>();
  const told: string[] = [];
  holdsInAnyOrder<Subject>({
    ...options,
    begin: () => {
      const subject = options.begin();
      const account = new Account();
      account.listen(subject.cluster);
      accounts.set(subject, account);
      return subject;
    },
    end: (subject) => {
      options.end?.(subject);
      if (told.length < options.runs) told.push(textOf(accounts.get(subject)));
    },
  });
  // A campaign that draws others has nothing to hold them against.
  if (fc.readConfigureGlobal()?.seed === undefined) expect(told).toMatchSnapshot();
}

const textOf = (account = new Account()): string =>
  [...account.fingerprints()].map((print) => print.join('=')).join(' ');
