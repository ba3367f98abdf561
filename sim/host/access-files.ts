/**
 * The files that say who comes in and who decides: read at the start, watched from then on, and taken over by the servers
 * when they change, as the real server does it. A file that makes no sense at the start is an error; later it changes
 * nothing, and is told of.
 */
import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import {
  type AuthenticationConfiguration,
  type AuthenticationGates,
  parseAuthenticationConfiguration,
} from '../apiserver/authentication/jwt/authentication-configuration.ts';
import {
  type AuthorizationConfiguration,
  type AuthorizerType,
  parseAuthorizationConfiguration,
} from '../apiserver/authorization/authorization-configuration.ts';
import { ConfigurationError } from '../apiserver/configuration/configuration-document.ts';
import type { AccessConfiguration, ConfiguredAuthorizer } from '../apiserver/configuration/server-access.ts';
import type { ReloadedPart } from '../apiserver/metrics/reload-metrics.ts';
import { verifySignature } from './jwt-signatures.ts';
import { readConnection } from './webhook-kubeconfig.ts';

export interface AccessFileNames {
  readonly authentication?: string | undefined;
  readonly authorization?: string | undefined;
}

export interface AccessFilesOptions extends AccessFileNames {
  readonly gates: AuthenticationGates;
  /** Authorizers that options name instead of a file. */
  readonly authorizers?: AuthorizationConfiguration | undefined;
  readonly told: (line: string) => void;
}

/** Hears that a part has changed, or (false) that its file makes no sense. True: the change is in force. */
export type AccessListener = (part: ReloadedPart, isValid: boolean, done: (isDone: boolean) => void) => void;

const LOOK_MS = 1_000;
/** A change that could not be taken over is tried again after so long. */
const RETRY_MS = 60_000;

export class AccessFiles implements AccessConfiguration {
  readonly verify = verifySignature;
  readonly told: (line: string) => void;
  readonly anonymous: AuthenticationConfiguration['anonymous'];
  readonly #options: AccessFilesOptions;
  readonly #required: ReadonlySet<AuthorizerType>;
  readonly #listeners = new Set<AccessListener>();
  readonly #last = new Map<ReloadedPart, string>();
  #authentication: AuthenticationConfiguration | undefined;
  #authorizers: readonly ConfiguredAuthorizer[] | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** @throws ConfigurationError, KubeconfigError, and errors of the system where a file cannot be read */
  constructor(options: AccessFilesOptions) {
    this.#options = options;
    this.told = options.told;
    const { authentication, authorization, gates, authorizers } = options;
    if (authentication !== undefined) {
      const text = this.#read('authentication', authentication);
      this.#authentication = parseAuthenticationConfiguration(text, gates);
    }
    this.anonymous = this.#authentication?.anonymous;
    const configured =
      authorization === undefined ? authorizers : this.#parsed(this.#read('authorization', authorization));
    this.#authorizers = configured && connected(configured);
    this.#required = new Set(configured?.map(({ type }) => type).filter((type) => type !== 'Webhook'));
  }

  get authenticators(): AccessConfiguration['authenticators'] {
    return this.#authentication?.authenticators;
  }

  get authorizers(): AccessConfiguration['authorizers'] {
    return this.#authorizers;
  }

  /** The result ends it. */
  onChange(listener: AccessListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins to look at the files; the result ends that. */
  watch(): () => void {
    const { authentication, authorization } = this.#options;
    const files = [
      ...(authentication === undefined ? [] : [['authentication', authentication] as const]),
      ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
    ];
    for (const [part, file] of files)
      watchFile(file, { interval: LOOK_MS, persistent: false }, () => this.#look(part, file));
    return () => {
      for (const [, file] of files) unwatchFile(file);
      clearTimeout(this.#retry);
    };
  }

  #read(part: ReloadedPart, file: string): string {
    const text = readFileSync(file, 'utf8');
    this.#last.set(part, text);
    return text;
  }

  #parsed(text: string): AuthorizationConfiguration {
    const required = this.#required;
    return parseAuthorizationConfiguration(text, { problemOfFile, ...(required && { required }) });
  }

  #look(part: ReloadedPart, file: string): void {
    const before = this.#last.get(part);
    try {
      if (this.#read(part, file) === before) return;
      this.#take(part, this.#last.get(part) ?? '');
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const doing = error instanceof ConfigurationError ? 'failed to load' : 'failed to read';
      this.told(`${doing} ${part} config: ${error.message}`);
      this.#tell(part, false);
      return;
    }
    this.#tell(part, true);
  }

  #take(part: ReloadedPart, text: string): void {
    if (part === 'authorization') {
      this.#authorizers = connected(this.#parsed(text));
      return;
    }
    const next = parseAuthenticationConfiguration(text, this.#options.gates);
    if (JSON.stringify(next.anonymous) !== JSON.stringify(this.anonymous))
      throw new ConfigurationError('anonymous: Forbidden: changed from initial configuration file');
    this.#authentication = next;
  }

  #tell(part: ReloadedPart, isValid: boolean): void {
    const done = (isDone: boolean): void => {
      if (!isValid) return;
      if (isDone) this.told(`reloaded ${part} config`);
      else this.#tryAgain(part);
    };
    for (const listener of this.#listeners) listener(part, isValid, done);
  }

  #tryAgain(part: ReloadedPart): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#tell(part, true), RETRY_MS).unref();
  }
}

/** As the real server says it. */
export function problemOfFile(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? undefined : 'must be a regular file';
  } catch (error) {
    const isMissing = error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';
    return `error loading file: stat ${file}: ${isMissing ? 'no such file or directory' : 'permission denied'}`;
  }
}

function connected(configured: AuthorizationConfiguration): readonly ConfiguredAuthorizer[] {
  return configured.map((each): ConfiguredAuthorizer => {
    if (each.type === 'Webhook') return { ...each, connection: readConnection(each.webhook.kubeConfigFile) };
    if (each.type === 'ABAC')
      throw new ConfigurationError(
        'authorizer type ABAC is not modelled: policies of roles (RBAC) say who may do what',
      );
    return { type: each.type };
  });
}
