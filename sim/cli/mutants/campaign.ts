/** Before tests that hold a room against its models, where they hunt: they draw more than a test suite has time for, and
 * tell what breaks as it was drawn: to make it smaller takes longer than to find it. `HUNT=long`: others than before, and
 * for as long as there is time, which is what models need that are quick. `HUNT_SHRINKS=yes`: what breaks is made smaller, too.
 */
import fc from 'fast-check';

const LONG = { numRuns: 20_000, seed: 11, interruptAfterTimeLimit: 5_000 };

const SHRINKS_FOR_MS = 30_000;

fc.configureGlobal({
  ...(process.env['HUNT'] === 'long' ? LONG : { numRuns: 60 }),
  ...(process.env['HUNT_SHRINKS'] === 'yes'
    ? { interruptAfterTimeLimit: SHRINKS_FOR_MS }
    : { endOnFailure: true }),
});
