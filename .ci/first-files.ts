/**
 * What Node itself keeps of a cluster, and what guests begin in the real world, can only be told in a process in which
 * nothing else was served before: files of such tests come first in theirs.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FIRST = /\/sim\/host\/(forgotten-clusters|bad-guests-again)\.test\.ts$/;

const isFirst = ({ moduleId }: TestSpecification): boolean => FIRST.test(moduleId);

export class FirstFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}
