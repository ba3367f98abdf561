/** Everything that is about no resource: discovery, OpenAPI, health, version, metrics; the rest is a plain 404. */
import type { Process } from '../../engine/process.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Surface } from '../surface/surface.ts';
import { pageNotFound } from './route.ts';

export const serveNonResourceOf =
  (surface: Surface) =>
  (exchange: Exchange): Process<void> | void => {
    const { info } = exchange;
    if (info.isResourceRequest) return;
    const serve = surface.find(info.path);
    if (!serve) {
      pageNotFound(exchange);
      return;
    }
    return serve(exchange);
  };
