/**
 * Tokens of an issuer that changes its keys, says how long they hold, is away and comes back, at a server that begins anew
 * now and then: who brings a token of a key that the issuer shows is known as soon as the server can have heard of it, nobody is
 * by a key that was never shown, and what was heard last counts while nobody can be asked.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { objectBody } from '../../../api/http-call.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import { serveHttp } from '../../../client/http-port.ts';
import { engineSurroundings } from '../../../cluster/engine-surroundings.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../../engine/simulation.ts';
import { milliseconds } from '../../../engine/time.ts';
import { ruledAuthenticator } from './authenticator-rules.ts';
import { JwtAuthenticators, type TokenOutcome } from './jwt-authenticators.ts';

const HOST = 'issuer.example';
const ISSUER = `https://${HOST}`;
const JSON_TYPE = { 'content-type': 'application/json' };
/** An issuer that did not say what it is is asked again after so long. */
const RETRY_MS = 10_000;
/** A question and its answer. */
const MOMENT_MS = 500;
/** Keys that hold no longer than this are asked for anew. */
const EXPIRY_DELTA_MS = 30_000;
/** More than enough for all of them. */
const KEPT_MS = 10_000;
const WORDS = new TextDecoder();

const base64 = (text: string): string => Buffer.from(text).toString('base64url');

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #issuer = this.#simulation.actor(HOST, {
    start: (context) =>
      serveHttp(context, 443, ({ path }) => {
        const isForKeys = path === '/keys';
        if (isForKeys) this.#shown = { keys: this.#keys, untilMs: this.#nowMs + this.#maxAgeSeconds * 1_000 };
        const body = isForKeys
          ? { keys: this.#keys.map((name) => ({ kid: name, kty: 'RSA', secret: name })) }
          : { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
        const headers = { ...JSON_TYPE, 'cache-control': `max-age=${this.#maxAgeSeconds}` };
        // oxlint-disable-next-line require-yield -- it knows at once
        return (function* () {
          return { status: 200, headers, body: objectBody(body) };
        })();
      }),
  });
  readonly #server = this.#simulation.actor('apiserver/0', {
    start: (context) => {
      this.#authenticators = new JwtAuthenticators(
        {
          surroundings: engineSurroundings(context, { hasActor: (name) => name === HOST }),
          verify: ({ key, signature }) => key['secret'] === WORDS.decode(signature),
          metrics: undefined,
          told: () => undefined,
        },
        [this.#rules],
      );
    },
  });
  readonly #rules = ruledAuthenticator(
    { issuer: { url: ISSUER, audiences: ['a'] }, claimMappings: { username: { claim: 'sub', prefix: '' } } },
    FieldPath.of('jwt'),
    true,
  ).authenticator;
  #authenticators: JwtAuthenticators | undefined;
  #keys: readonly string[] = ['k0'];
  #count = 0;
  #maxAgeSeconds = 0;
  /** What this life of the server has heard last. */
  #shown: { readonly keys: readonly string[]; readonly untilMs: number } = { keys: [], untilMs: 0 };
  /** Since when both are there, and since when the issuer says what it says. */
  #togetherMs = 0;
  #isIssuerUp = true;
  #hasDiscovered = false;
  #tokens = 0;

  constructor(isIssuerUp: boolean) {
    if (!isIssuerUp) this.setIssuer(false);
    this.pass(0);
  }

  get #nowMs(): number {
    return this.#simulation.now / 1_000;
  }

  pass(ms: number): void {
    this.#simulation.runFor(milliseconds(ms));
    if (this.#isIssuerUp && this.#nowMs - this.#togetherMs > RETRY_MS + MOMENT_MS) this.#hasDiscovered = true;
  }

  rotate(keepsFormer: boolean): void {
    this.#count += 1;
    this.#keys = [...(keepsFormer ? this.#keys : []), `k${this.#count}`];
  }

  hold(seconds: number): void {
    this.#maxAgeSeconds = seconds;
  }

  setIssuer(isUp: boolean): void {
    if (isUp === this.#isIssuerUp) return;
    this.#isIssuerUp = isUp;
    if (isUp) this.#issuer.restart();
    else this.#issuer.crash();
    this.#togetherMs = this.#nowMs;
  }

  restartServer(): void {
    this.#server.crash();
    this.#server.restart();
    this.#shown = { keys: [], untilMs: 0 };
    this.#togetherMs = this.#nowMs;
    this.#hasDiscovered = false;
    this.pass(0);
  }

  /** New tokens, all at once. `key`: of those that there ever were, and one that there was not. */
  bring(keys: readonly number[], namesKey: boolean): void {
    this.#expect(keys.map((at) => this.#tokenBy(`k${at % (this.#count + 2)}`, namesKey)));
  }

  bringNewest(count: number, namesKey: boolean): void {
    const newest = `k${this.#count}`;
    this.#expect(Array.from({ length: count }, () => this.#tokenBy(newest, namesKey)));
  }

  #tokenBy(key: string, namesKey: boolean): { readonly key: string; readonly text: string } {
    this.#tokens += 1;
    const header = { alg: 'RS256', ...(namesKey && { kid: key }) };
    const claims = { iss: ISSUER, aud: 'a', sub: `kim-${this.#tokens}`, exp: 4_000_000_000 };
    const parts = [JSON.stringify(header), JSON.stringify(claims), key];
    return { key, text: parts.map(base64).join('.') };
  }

  #expect(tokens: readonly { readonly key: string; readonly text: string }[]): void {
    const before = this.#shown;
    const isHeld = this.#nowMs + EXPIRY_DELTA_MS <= before.untilMs;
    // Over a connection that has broken without a word nobody is asked in the first moment.
    const isSteady = this.#isIssuerUp && this.#nowMs - this.#togetherMs > MOMENT_MS;
    const canBeAsked = isSteady && this.#hasDiscovered && !isHeld;
    const outcomes = tokens.map(({ text }) => this.#begin(text));
    this.pass(MOMENT_MS);
    for (const [at, { key }] of tokens.entries()) {
      const outcome = outcomes[at]?.value;
      const said = `${outcome?.kind ?? 'nothing'} to a token of ${key}`;
      const isShown =
        (canBeAsked && this.#keys.includes(key)) || (this.#hasDiscovered && before.keys.includes(key));
      if (isShown) expect(outcome?.kind, said).toBe('user');
      else if (![...before.keys, ...this.#shown.keys].includes(key))
        expect(outcome?.kind, said).toBe('refused');
    }
  }

  #begin(text: string): { value: TokenOutcome | undefined } {
    const authenticators = this.#authenticators;
    if (!authenticators) throw new Error('it has begun');
    const found: { value: TokenOutcome | undefined } = { value: undefined };
    this.#server.context.spawn(
      'a token',
      (function* () {
        found.value = yield* authenticators.authenticate(text);
      })(),
    );
    return found;
  }

  end(): void {
    this.setIssuer(true);
    this.pass(RETRY_MS + 2 * MOMENT_MS);
    // Whatever it has promised is over.
    this.hold(0);
    this.pass(Math.max(0, this.#shown.untilMs - this.#nowMs) + KEPT_MS);
    this.bringNewest(3, true);
  }
}

const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(100, 4_000, 11_000, 35_000, 700_000), (world, ms) => world.pass(ms));
const bring = act(
  'bring',
  fc.tuple(fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }), fc.boolean()),
  (world, drawn) => world.bring(...drawn),
);
const bringNewest = act(
  'bring newest',
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()),
  (world, drawn) => world.bringNewest(...drawn),
);

it.each([true, false])(
  'know whoever brings a token of theirs, where the issuer was there first: %s',
  (isUp) => {
    holdsInAnyOrder<World>({
      begin: () => new World(isUp),
      acts: [
        ...[pass, pass, bring, bringNewest, bringNewest],
        act('rotate', fc.boolean(), (world, keepsFormer) => world.rotate(keepsFormer)),
        act('hold', fc.constantFrom(0, 60, 600), (world, seconds) => world.hold(seconds)),
        act('set issuer', fc.constantFrom(true, true, false), (world, is) => world.setIssuer(is)),
        act('restart server', NOTHING, (world) => world.restartServer()),
      ],
      compare: () => undefined,
      end: (world) => world.end(),
      most: 20,
      runs: 100,
      hasSomeOnly: true,
    });
  },
);
