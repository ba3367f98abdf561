/** One rule of a comparison, and what is counted. */
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';

export interface Rule {
  readonly expression: string;
  /** Part of everything that is said of it: `r12 `. */
  readonly label: string;
  /** Its value is told in a message; otherwise it is the rule itself. */
  readonly isTold: boolean;
}

export interface Tally {
  compared: number;
  refused: number;
  evaluated: number;
  different: number;
  /** The real server does not answer them the same each time. */
  unsteady: number;
  /** Whole batches. */
  unanswered: number;
}

export const emptyTally = (): Tally => ({
  compared: 0,
  refused: 0,
  evaluated: 0,
  different: 0,
  unsteady: 0,
  unanswered: 0,
});

export const GROUP = 'compared.example.com';

/** A value is told in the message, an error by the rule. */
const written = ({ expression, label, isTold }: Rule): object =>
  isTold
    ? {
        rule: `size("${label}%s".format([${expression}])) < 0`,
        messageExpression: `"${label}%s".format([${expression}])`,
      }
    : { rule: expression, message: `${label}failed` };

export const definitionOf = (name: string, schema: JSONSchemaProps, rules: readonly Rule[]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { plural: name, singular: `${name}x`, kind: `K${name}`, listKind: `K${name}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                ...schema,
                ...(rules.length > 0 && { 'x-kubernetes-validations': rules.map(written) }),
              },
            },
          },
        },
      },
    ],
  },
});

export const objectOf = (name: string, objectName: string, spec: object): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: `K${name}`,
  metadata: { name: objectName },
  spec,
});
