/**
 * Users known by a fixed token: the lines of a token file, `token,user,uid,"group1,group2"`.
 * Specification: "Authentication" (not shown: kube-apiserver's `--token-auth-file`).
 */
import type { UserInfo } from '../request/request.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

/** A line of a token file that makes no sense; the message says which and why. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

export class StaticTokens implements TokenAuthenticator {
  readonly #users: ReadonlyMap<string, UserInfo>;

  constructor(users: ReadonlyMap<string, UserInfo>) {
    this.#users = users;
  }

  /** @throws TokenFileError */
  static parse(text: string): StaticTokens {
    const users = new Map<string, UserInfo>();
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      const fields = csvFields(line);
      const [token = '', name = '', uid = '', groups = ''] = fields;
      if (fields.length < 3)
        throw new TokenFileError(`line ${index + 1}: expected token,user,uid[,"groups"]`);
      if (token === '') throw new TokenFileError(`line ${index + 1}: the token is empty`);
      users.set(token, {
        name,
        uid,
        groups: [...(groups === '' ? [] : groups.split(',')), 'system:authenticated'],
      });
    }
    return new StaticTokens(users);
  }

  authenticate(token: string): UserInfo | undefined {
    return this.#users.get(token);
  }
}

/** Fields of one CSV line; a field in quotes may hold commas, and doubled quotes stand for one. */
function csvFields(line: string): string[] {
  const fields: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|$)/y;
  for (;;) {
    const match = field.exec(line);
    if (!match) return fields;
    fields.push(match[1]?.replaceAll('""', '"') ?? (match[2] ?? '').trimEnd());
    if (match[3] === '') return fields;
  }
}
