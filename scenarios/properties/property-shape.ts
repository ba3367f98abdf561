/** The part of the language that lets the machine invent what happens: `kind: Property`. */
import { EXEMPTIBLE, headFields } from '../language/scenario-shape.ts';
import { optional, required, type ValueOf } from '../language/shape.ts';
import { duration, integer, json, list, mapping, struct, text, word } from '../language/shape-builders.ts';
import { propertyShape as heldShape } from '../language/look-shapes.ts';
import { FAULT_FAMILIES } from './any-fault.ts';
import { RULE_SETS } from './rule-sets.ts';

const template = (doc: string) => mapping(`${doc} Holes in it are drawn anew for each run.`);

const faultsShape = struct({
  name: 'DrawnFaults',
  doc: 'What may go wrong, and for how long. Every fault ends before `finally`.',
  fields: {
    atMost: optional(integer('So many in a run. Default: 3.', 0, 100)),
    families: optional(
      list(
        'Kinds of faults that are drawn to fit the cluster. Default: all, unless `of` says what.',
        word('A family of faults.', FAULT_FAMILIES),
      ),
    ),
    of: optional(list('Faults of your own, beside those of `families`.', template('A fault, as in a step.'))),
    lasting: optional(json('How long a fault lasts: a duration, or a hole. Default: `$between: [1s, 1m]`.')),
  },
});

const generateShape = struct({
  name: 'Generate',
  doc: 'What may happen, in any order and mixture.',
  fields: {
    atLeast: optional(integer('Operations in a run, at least. Default: 1.', 0, 10_000)),
    atMost: optional(integer('Operations in a run, at most. Default: 20.', 1, 10_000)),
    operations: required(
      list(
        'What clients may do: steps, each with exactly one verb, whose answers may be anything unless they say what they expect. `$weight: 3` makes one three times as likely; `$steps` holds several that belong together.',
        template('A step.'),
      ),
    ),
    clients: optional(
      list(
        'Who acts (`as`), where an operation does not say. Default: one administrator.',
        text('Name of a user.'),
      ),
    ),
    pause: optional(json('Time between operations: a duration, or a hole. Default: `$between: [0s, 5s]`.')),
    faults: optional(faultsShape),
  },
});

export const propertyDocumentShape = struct({
  name: 'PropertyDocument',
  doc: 'A world, what may happen in it, and what must hold whatever happens. Each seed draws one scenario; `kubesim run` shrinks what fails to the smallest scenario that fails alike.',
  fields: {
    apiVersion: required(word('Version of the scenario language.', ['kubesim.dev/v1'])),
    kind: required(word('Kind of the document.', ['Property'])),
    metadata: required(headFields.metadata),
    spec: required(
      struct({
        name: 'PropertySpec',
        doc: 'What may happen and what must hold.',
        fields: {
          description: optional(text('What the property shows.')),
          cluster: optional(template('The cluster, as in a scenario.')),
          seed: optional(headFields.seed),
          runs: optional(headFields.runs),
          rules: optional(
            list(
              'Only these sets of rules count, and of rest only those of `convergence`. Default: all.',
              word('A set of rules.', Object.keys(RULE_SETS)),
            ),
          ),
          exempt: optional(list('Checks that are off.', word('A checker.', EXEMPTIBLE))),
          checkers: optional(list('Checks that are on beside the rules.', text('Name of a checker.'))),
          before: optional(list('Steps before anything is drawn.', template('A step.'))),
          generate: required(generateShape),
          twins: optional(
            list('Runs that have to end as each drawn one does.', template('A twin, as in a scenario.')),
          ),
          always: optional(list('What holds throughout the run.', heldShape)),
          healing: optional(
            duration('Time between the end of the last fault and `finally`. Default: none; `settle` waits.'),
          ),
          finally: optional(
            list(
              'Steps at the end, once every fault is over. Default: `settle`, if the cluster has controllers.',
              template('A step.'),
            ),
          ),
          expected: optional(
            word(
              '`failure`: it shows how something is found; a run that finds nothing fails. Default: it holds.',
              ['failure'],
            ),
          ),
        },
      }),
    ),
  },
});

export type PropertyDocument = ValueOf<typeof propertyDocumentShape>;
export type Generate = ValueOf<typeof generateShape>;
