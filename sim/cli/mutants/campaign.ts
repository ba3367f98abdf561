/** Before tests that hold a room against its models, where they hunt: they draw more than a test suite has time for, and
 * tell what breaks as it was drawn: to make it smaller takes longer than to find it. */
import fc from 'fast-check';

fc.configureGlobal({ numRuns: 150, endOnFailure: true });
