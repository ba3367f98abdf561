/** What a served cluster is made of, told at its start as long as something of a whole cluster is not there. */
import { USUAL_CONTROLLERS, UNMODELLED_CONTROLLERS } from '../cluster/controller-selection.ts';

export interface Parts {
  readonly version: string;
  readonly nodes: number;
  readonly hasScheduler: boolean;
  /** Names of those that run; undefined: all that are modelled. */
  readonly controllers: readonly string[] | undefined;
}

/** One line or two. */
export function whatRuns({ version, nodes, hasScheduler, controllers = USUAL_CONTROLLERS }: Parts): string {
  const running = [
    `an API server ${version}`,
    ...(nodes === 0 ? [] : [nodes === 1 ? '1 node' : `${nodes} nodes`]),
    ...(hasScheduler ? ['a scheduler'] : []),
    ...(controllers.length === 0 ? [] : [`${controllers.length} controllers`]),
  ];
  const switchedOff = USUAL_CONTROLLERS.filter((name) => !controllers.includes(name));
  const missing = [
    ...(nodes === 0 ? ['nodes (nothing runs pods)'] : []),
    ...(hasScheduler ? [] : ['scheduler (pods need spec.nodeName)']),
    ...(switchedOff.length === 0
      ? []
      : [switchedOff.length === USUAL_CONTROLLERS.length ? 'controllers' : switchedOff.join(', ')]),
    ...(UNMODELLED_CONTROLLERS.length === 0 ? [] : [`not modelled: ${UNMODELLED_CONTROLLERS.join(', ')}`]),
  ];
  return `running: ${running.join(', ')}\n${missing.length === 0 ? '' : `not running: ${missing.join('; ')}\n`}`;
}
