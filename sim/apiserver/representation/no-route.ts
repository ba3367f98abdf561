import { ApiError } from '../../api/status.ts';

/** What looks for the way to a handler has found none that takes such a body or gives such an answer. */
export class NoRoute extends ApiError {}
