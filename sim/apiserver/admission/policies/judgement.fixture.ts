/**
 * What policies with expressions are to say of a request, after their documentation: a second and much simpler telling,
 * that knows the few expressions below by what they mean.
 */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** What the policies are about: ConfigMaps with a number and a label. */
export interface Thing {
  readonly n: number;
  readonly kind: 'a' | 'b';
}

/** ConfigMaps that policies take bounds from; `null`: it says none. */
export interface Param {
  readonly most: number | null;
  readonly isShown: boolean;
}

export interface Request {
  readonly operation: Operation;
  readonly isDryRun: boolean;
  readonly space: string;
  /** Of the namespace. */
  readonly team: string | undefined;
  readonly object: Thing | undefined;
  readonly old: Thing | undefined;
}

interface Asked extends Request {
  /** `null`: the policy is asked without. */
  readonly param: Param | null;
}

export interface Expression {
  readonly text: string;
  /** Undefined: it fails. */
  readonly value: (asked: Asked) => boolean | string | undefined;
}

export interface Check extends Expression {
  readonly value: (asked: Asked) => boolean | undefined;
  readonly message?: string;
  readonly reason?: 'Forbidden';
  readonly told?: Expression;
}

export interface Choice {
  readonly kind: 'a' | 'b' | undefined;
  readonly team: string | undefined;
}

export interface PolicyFacts extends Choice {
  readonly isLenient: boolean;
  readonly hasParams: boolean;
  readonly operations: readonly Operation[];
  readonly conditions: readonly Expression[];
  readonly checks: readonly Check[];
  readonly note: Expression | undefined;
}

export interface Ref {
  /** Undefined: those that are shown. */
  readonly name: string | undefined;
  /** Undefined: that of the request. */
  readonly space: string | undefined;
  readonly isNeeded: boolean;
}

export interface BindingFacts extends Choice {
  readonly policy: string;
  readonly actions: readonly ('Deny' | 'Warn' | 'Audit')[];
  readonly ref: Ref | undefined;
}

export interface Law {
  readonly policies: ReadonlyMap<string, PolicyFacts>;
  readonly bindings: ReadonlyMap<string, BindingFacts>;
  readonly paramsIn: (space: string) => ReadonlyMap<string, Param>;
}

/** Messages up to where a failing expression says why. */
export interface Verdict {
  /** Of the first that denies. */
  readonly denied: { readonly code: number; readonly message: string } | undefined;
  readonly warnings: readonly string[];
  readonly notes: Readonly<Record<string, string>>;
}

interface Finding {
  readonly index: number;
  readonly message: string;
  readonly reason?: 'Forbidden' | undefined;
}

const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';
const failure = (text: string): string => `expression '${text}' resulted in error`;
const byName = <T>(all: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...all].toSorted(([a], [b]) => (a < b ? -1 : 1));

const isChosen = ({ kind, team }: Choice, { object, old, ...request }: Request): boolean =>
  (kind === undefined || object?.kind === kind || old?.kind === kind) &&
  (team === undefined || request.team === team);

export function judge(law: Law, request: Request): Verdict {
  const denied: { code: number; message: string }[] = [];
  const warnings = new Set<string>();
  const notes: Record<string, string> = {};
  for (const [name, policy] of byName(law.policies)) {
    if (!policy.operations.includes(request.operation) || !isChosen(policy, request)) continue;
    const noted = new Set<string>();
    for (const [bindingName, binding] of byName(law.bindings)) {
      if (binding.policy !== name || !isChosen(binding, request)) continue;
      const by = `ValidatingAdmissionPolicy '${name}' with binding '${bindingName}'`;
      const deny = ({ message, reason }: Omit<Finding, 'index'>): void =>
        void denied.push({ code: reason ? 403 : 422, message: `${by} denied request: ${message}` });
      const params = policy.hasParams ? paramsOf(law, binding, request) : [null];
      if (!params) {
        if (!policy.isLenient) deny({ message: `failed to configure binding: ${NO_PARAMS}` });
        continue;
      }
      for (const param of params) {
        const { findings, note } = judgedBy(policy, { ...request, param });
        for (const finding of findings) {
          if (binding.actions.includes('Deny')) deny(finding);
          if (binding.actions.includes('Warn'))
            warnings.add(`Validation failed for ${by}: ${finding.message}`);
          if (binding.actions.includes('Audit'))
            notes[FAILURE] ??= [name, bindingName, finding.index, finding.message].join(' ');
        }
        if (note === undefined) deny({ message: failure(policy.note?.text ?? '') });
        else if (note !== '') noted.add(note);
      }
    }
    if (noted.size > 0) notes[`${name}/n`] = [...noted].join(', ');
  }
  return { denied: denied[0], warnings: [...warnings], notes };
}

const NO_PARAMS = 'no params found for policy binding with `Deny` parameterNotFoundAction';

/** Undefined: they are needed, and there are none. */
function paramsOf(
  { paramsIn }: Law,
  { ref }: BindingFacts,
  request: Request,
): readonly (Param | null)[] | undefined {
  if (!ref) return [null];
  const found = byName(paramsIn(ref.space ?? request.space))
    .filter(([name, { isShown }]) => (ref.name === undefined ? isShown : name === ref.name))
    .map(([, param]) => param);
  return found.length === 0 && ref.isNeeded ? undefined : found;
}

/** `note` undefined: it fails, and that counts. */
function judgedBy(
  { conditions, checks, isLenient, note }: PolicyFacts,
  asked: Asked,
): { readonly findings: readonly Finding[]; readonly note: string | undefined } {
  const held = conditions.map((each) => each.value(asked));
  if (held.includes(false)) return { findings: [], note: '' };
  const failed = conditions.filter((_each, at) => held[at] === undefined).map(({ text }) => failure(text));
  if (failed.length > 0)
    return { findings: isLenient ? [] : [{ index: 0, message: failed[0] ?? '' }], note: '' };
  const findings = checks.flatMap((check, index): readonly Finding[] => {
    const value = check.value(asked);
    if (value === undefined) return isLenient ? [] : [{ index, message: failure(check.text) }];
    const told = check.told?.value(asked) ?? check.message ?? `failed expression: ${check.text}`;
    return value ? [] : [{ index, message: String(told), reason: check.reason }];
  });
  const text = note ? note.value(asked) : '';
  return { findings, note: text === undefined && isLenient ? '' : (text as string | undefined) };
}
