/** What a server says of a FlowSchema: whether the priority level it names is there. */

export const DANGLING_MANAGER = 'api-priority-and-fairness-config-consumer-v1';

export interface DanglingCondition {
  readonly type: 'Dangling';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export function danglingCondition(level: string, isThere: boolean): DanglingCondition {
  const references = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return isThere
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${references} and it exists` }
    : {
        type: 'Dangling',
        status: 'True',
        reason: 'NotFound',
        message: `${references} but there is no such object`,
      };
}
