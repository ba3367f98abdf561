/** What can be done to an API server beside what can be done to every actor. */
import type { ControlPlaneOptions } from './control-plane.ts';

/** What an API server may have anew after a restart. */
export type ServerSettings = Pick<ControlPlaneOptions, 'featureGates' | 'release' | 'runtimeConfig'>;

/** Which watches: whatever is absent does not matter. */
export interface WatchSelection {
  /** Who watches. */
  readonly actor?: string;
  /** Plural, such as `pods`. */
  readonly resource?: string;
  /** The version that the client would go on from counts as compacted: it has to list anew. */
  readonly expired?: boolean;
}

export interface FaultyServer {
  /** For its next life. */
  reconfigure(settings: ServerSettings): void;
  /** Ends its watches, as it does when they get old; clients open them anew. */
  endWatches(chosen: WatchSelection): void;
}
