/**
 * AuthenticationConfiguration: whose tokens are believed, and what user each makes. From the text of the file to what a
 * server can act by, or to the words with which the real one refuses it. Pure: it asks nobody.
 */
import { goStruct, GoSyntax } from '../../../api/go-text.ts';
import type { FieldError } from '../../../api/status.ts';
import {
  aggregateText,
  duplicate,
  forbidden,
  invalid,
  tooMany,
} from '../../../api/validation/field-error.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import { ConfigurationError, readConfiguration } from '../../configuration/configuration-document.ts';
import { ruledAuthenticator } from './authenticator-rules.ts';
import { type JwtAuthenticatorConfiguration, type RuledAuthenticator } from './jwt-shapes.ts';

export interface AnonymousConfiguration {
  readonly enabled?: boolean;
  readonly conditions?: readonly { readonly path?: string }[];
}

interface Document {
  readonly jwt?: readonly JwtAuthenticatorConfiguration[];
  readonly anonymous?: AnonymousConfiguration;
}

export interface AuthenticationConfiguration {
  readonly authenticators: readonly RuledAuthenticator[];
  /** Undefined: an option says it. */
  readonly anonymous: AnonymousConfiguration | undefined;
}

/** What the server allows of it. */
export interface AuthenticationGates {
  /** StructuredAuthenticationConfiguration. */
  readonly isStructured: boolean;
  /** AnonymousAuthConfigurableEndpoints. */
  readonly hasAnonymous: boolean;
}

const MOST_AUTHENTICATORS = 64;

/** @throws ConfigurationError */
export function parseAuthenticationConfiguration(
  text: string,
  gates: AuthenticationGates,
): AuthenticationConfiguration {
  if (text === '') throw new ConfigurationError('empty config data');
  const { jwt = [], anonymous } = readConfiguration(text, 'AuthenticationConfiguration') as Document;
  const root = FieldPath.of('jwt');
  if (jwt.length > MOST_AUTHENTICATORS)
    throw new ConfigurationError(aggregateText([tooMany(root, jwt.length, MOST_AUTHENTICATORS)]));
  const authenticators = jwt.map((each, index) =>
    ruledAuthenticator(each, root.index(index), gates.isStructured),
  );
  const errors = [
    ...authenticators.flatMap((each, index) => [...each.errors, ...repeated(jwt, index, root.index(index))]),
    ...anonymousErrors(anonymous, gates),
  ];
  if (errors.length > 0) throw new ConfigurationError(aggregateText(errors));
  return { authenticators: authenticators.map((each) => each.authenticator), anonymous };
}

function repeated(
  all: readonly JwtAuthenticatorConfiguration[],
  index: number,
  path: FieldPath,
): readonly FieldError[] {
  const { url = '', discoveryURL = '' } = all[index]?.issuer ?? {};
  const before = all.slice(0, index);
  const issuer = path.child('issuer');
  const isKnown = before.some((each) => (each.issuer?.url ?? '') === url);
  const isFound = discoveryURL !== '' && before.some((each) => each.issuer?.discoveryURL === discoveryURL);
  return [
    ...(isKnown ? [duplicate(issuer.child('url'), url)] : []),
    ...(isFound ? [duplicate(issuer.child('discoveryURL'), discoveryURL)] : []),
  ];
}

const ANONYMOUS = FieldPath.of('anonymous');

function anonymousErrors(
  anonymous: AnonymousConfiguration | undefined,
  { hasAnonymous }: AuthenticationGates,
): readonly FieldError[] {
  if (!anonymous) return [];
  const { enabled = false, conditions = [] } = anonymous;
  const errors: FieldError[] = [];
  if (!hasAnonymous)
    errors.push(
      forbidden(
        ANONYMOUS,
        'anonymous is not supported when AnonymousAuthConfigurableEnpoints feature gate is disabled',
      ),
    );
  if (!enabled && conditions.length > 0)
    errors.push(
      invalid(
        ANONYMOUS.child('conditions'),
        shownConditions(conditions),
        'enabled should be set to true when conditions are defined',
      ),
    );
  return errors;
}

function shownConditions(conditions: readonly { readonly path?: string }[]): GoSyntax {
  const items = conditions.map(
    ({ path = '' }) => goStruct('apiserver.AnonymousAuthCondition', [['Path', path]]).text,
  );
  return new GoSyntax(`[]apiserver.AnonymousAuthCondition{${items.join(', ')}}`);
}
