/** The public door of kubesim: what controller authors import. */
export { ApiError } from './api/status.ts';
