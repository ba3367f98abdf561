/**
 * Whether Node keeps a cluster that nobody knows any more can only be told in a process in which no real port was served
 * before: Node hands parsers of HTTP from one connection to another, and keeps a served one for up to a minute. So that
 * test comes first in its process.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FIRST = /\/sim\/host\/forgotten-clusters\.test\.ts$/;

const isFirst = ({ moduleId }: TestSpecification): boolean => FIRST.test(moduleId);

export class FirstFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}
