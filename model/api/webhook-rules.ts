/**
 * What no API server may do with the verdicts of admission webhooks: nothing is stored that one denied whose failures
 * count, and a dry run asks nobody who then has done something. Told of verdicts and of everything that is stored.
 */
export const WEBHOOK_RULES = ['denials-hold', 'dry-runs-are-harmless', 'gone-webhooks-rest'] as const;
export type WebhookRuleName = (typeof WEBHOOK_RULES)[number];

export interface JudgedReview {
  readonly webhook: string;
  readonly answers: string;
  readonly failsClosed: boolean;
  readonly sideEffects: string;
  readonly request: {
    readonly operation: string;
    readonly dryRun?: boolean;
    readonly object?: object | null;
  };
}

export interface WebhookViolation {
  readonly rule: WebhookRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

/** Requests end within a minute, and servers may hear late. */
const LATE = 120_000_000;
const CONFIGURATIONS = /^\/registry\/(validating|mutating)webhookconfigurations\//;
const HARMLESS: readonly string[] = ['None', 'NoneOnDryRun'];

export class WebhookRules {
  readonly #now: () => number;
  readonly #violations: WebhookViolation[] = [];
  /** Who denied it last, by what was denied. */
  readonly #denied = new Map<string, string>();
  /** Since when they are configured no more. */
  readonly #gone = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get violations(): readonly WebhookViolation[] {
    return this.#violations;
  }

  judged({ webhook, answers, failsClosed, sideEffects, request }: JudgedReview): void {
    const gone = this.#gone.get(webhook);
    if (gone !== undefined && this.#now() - gone > LATE)
      this.#report('gone-webhooks-rest', `${webhook} was asked though it is configured no more`);
    if (request.dryRun === true) {
      if (!HARMLESS.includes(sideEffects))
        this.#report(
          'dry-runs-are-harmless',
          `${webhook}, whose side effects are ${sideEffects}, was asked about a dry run`,
        );
      return;
    }
    const content = request.object ? contentOf(request.object) : undefined;
    if (content === undefined) return;
    // What is stored after a later verdict is that one's affair.
    this.#denied.delete(content);
    // Of one that is configured no more, whoever comes next is not to be told.
    if (answers === 'deny' && failsClosed && gone === undefined) this.#denied.set(content, webhook);
  }

  stored(key: string, object: object): void {
    // Whoever is asked, and whose failures count, may be another one from now on.
    const configuration = CONFIGURATIONS.exec(key);
    if (configuration) {
      this.#denied.clear();
      this.#gone.delete(key.slice(configuration[0].length));
    }
    if (this.#denied.size === 0) return;
    const content = contentOf(object);
    const webhook = content === undefined ? undefined : this.#denied.get(content);
    if (webhook !== undefined) this.#report('denials-hold', `${key} was stored as ${webhook} had denied it`);
  }

  removed(key: string): void {
    const configuration = CONFIGURATIONS.exec(key);
    if (!configuration) return;
    this.#denied.clear();
    this.#gone.set(key.slice(configuration[0].length), this.#now());
  }

  #report(rule: WebhookRuleName, message: string): void {
    this.#violations.push({ rule, at: this.#now(), message });
  }
}

/** All but what the write itself sets. Undefined: it cannot be told from others. */
function contentOf(object: object): string | undefined {
  const { metadata, ...rest } = object as { readonly metadata?: Readonly<Record<string, unknown>> };
  const {
    resourceVersion: _version,
    managedFields: _fields,
    generation: _generation,
    ...own
  } = metadata ?? {};
  return own['uid'] === undefined ? undefined : JSON.stringify(sorted({ ...rest, metadata: own }));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
