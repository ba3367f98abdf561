import { ApiError } from '../../api/status.ts';

/** What a controller gives up with, and tries again, that has not seen yet what it wrote itself: `kind` is what it looks at. */
export const outOfDate = (kind: 'Endpoints' | 'EndpointSlice'): ApiError =>
  new ApiError({ reason: '', message: `${kind} informer cache is out of date`, code: 0 });
