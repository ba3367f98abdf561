/**
 * Messages show some values as they were sent, and not as they are kept: fractions of a second in times, and the parts
 * of quantities (`0.1` is not `100m` there). What was decoded no longer knows; the request still does.
 */
import { canonicalQuantity, formatQuantity, parseQuantity, roundUpQuantity } from '../../api/quantity.ts';
import type { FieldError } from '../../api/status.ts';
import { goQuantity, type SentQuantity } from '../registry/kinds/pod-spec/quantities.ts';
import type { ApiRequest } from '../request/request.ts';

const QUANTITY =
  /(resource\.Quantity\{i:resource\.int64Amount\{[^}]*\}, d:resource\.infDecAmount\{[^}]*\}, s:"[^"]*", Format:"\w+"\})(: ratio)?/g;
const TIME = /^Invalid value: (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \+0000 UTC/;
/** With the name of its member, where one stands before it. */
const SENT_TIME = /(?:\b([a-zA-Z]+)"?:\s*)?"?(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,](\d+))?Z/g;
const NANO_DIGITS = 9;
/** Texts and numbers that may be quantities. */
const TOKEN = /"([-+]?\.?[0-9][-+.0-9a-zA-Z]{0,40})"|(?<=[:,[\s])(-?[0-9][-+.0-9eE]*)/g;
const MILLI = -3;

/** Only refusals pay for it. */
export function asSent(errors: readonly FieldError[], { body }: ApiRequest): readonly FieldError[] {
  if (body?.kind !== 'bytes') return errors;
  if (!errors.some(({ message }) => TIME.test(message) || message.includes('resource.Quantity{')))
    return errors;
  const text = new TextDecoder().decode(body.bytes);
  const quantities = sentQuantities(text);
  return errors.map((error) => {
    const message = withFraction(withSentQuantities(error.message, quantities), error.field, text);
    return message === error.message ? error : { ...error, message };
  });
}

/** Another member may have the same second with a fraction: the one that the field's name stands before counts. */
function withFraction(message: string, field: string, text: string): string {
  const second = TIME.exec(message)?.[1];
  if (second === undefined) return message;
  const sent = [...text.matchAll(SENT_TIME)].filter(([, , day, time]) => `${day} ${time}` === second);
  const own = sent.filter(([, name]) => name !== undefined && field.endsWith(name));
  const [, , , , digits = ''] = (own.length > 0 ? own : sent).find(([, , , , some]) => some) ?? [];
  const fraction = digits.slice(0, NANO_DIGITS).replace(/0+$/, '');
  return fraction ? message.replace(second, `${second}.${fraction}`) : message;
}

function withSentQuantities(message: string, quantities: ReadonlyMap<string, Sent>): string {
  if (!message.includes('resource.Quantity{')) return message;
  return message.replaceAll(QUANTITY, (all, dump: string, ratio: string | undefined) => {
    const known = quantities.get(dump);
    if (known === undefined) return all;
    const { text, kept } = known;
    // Whoever prints a quantity as a text makes it remember that text.
    const sent: SentQuantity = { text, ...(ratio !== undefined && { printed: kept }) };
    return goQuantity(kept, sent).text + (ratio ?? '');
  });
}

interface Sent {
  readonly text: string;
  readonly kept: string;
}

/** By how that is shown which is kept of them. */
function sentQuantities(text: string): ReadonlyMap<string, Sent> {
  const found = new Map<string, Sent>();
  for (const [, quoted, plain] of text.matchAll(TOKEN)) {
    const sent = quoted ?? plain ?? '';
    const kept = keptText(sent);
    if (kept === undefined) continue;
    const dump = goQuantity(kept).text;
    if (!found.has(dump)) found.set(dump, { text: sent, kept });
  }
  return found;
}

function keptText(sent: string): string | undefined {
  try {
    return canonicalQuantity(formatQuantity(roundUpQuantity(parseQuantity(sent), MILLI)));
  } catch {
    return undefined;
  }
}
