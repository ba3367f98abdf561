/**
 * Paths of the server that are about no resource, by exact path (a trailing slash does not count)
 * or by the first segments. Specification: "Endpoints", "Health endpoints".
 */
import type { Process } from '../../engine/process.ts';
import type { Exchange } from '../request/exchange.ts';

export type SurfaceHandler = (exchange: Exchange) => Process<void> | void;

export interface SurfacePath {
  /** Exact path, or a prefix if it ends with `/*`. */
  readonly path: string;
  readonly serve: SurfaceHandler;
}

export class Surface {
  readonly #exact = new Map<string, SurfaceHandler>();
  readonly #prefixes: (readonly [string, SurfaceHandler])[] = [];

  constructor(paths: readonly SurfacePath[] = []) {
    for (const { path, serve } of paths) {
      if (path.endsWith('/*')) this.#prefixes.push([path.slice(0, -1), serve]);
      else this.#exact.set(path, serve);
    }
  }

  find(path: string): SurfaceHandler | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    return this.#prefixes.find(([prefix]) => path.startsWith(prefix))?.[1];
  }

  /** What `/` lists. */
  paths(): readonly string[] {
    return [...this.#exact.keys()].sort();
  }
}
