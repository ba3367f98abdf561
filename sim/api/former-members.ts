/** Annotations that hold what members of former versions said. */

/** The revision that is asked for: what `spec.rollbackTo` of former versions of Deployment became. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
