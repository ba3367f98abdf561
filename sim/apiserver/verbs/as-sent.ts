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
const EXACT_TIME = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.(\d{1,9})\d*Z/g;
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
    const message = withFraction(withSentQuantities(error.message, quantities), text);
    return message === error.message ? error : { ...error, message };
  });
}

function withFraction(message: string, text: string): string {
  const second = TIME.exec(message)?.[1];
  if (second === undefined) return message;
  for (const [, day, time, digits = ''] of text.matchAll(EXACT_TIME)) {
    const fraction = digits.replace(/0+$/, '');
    if (`${day} ${time}` === second && fraction) return message.replace(second, `${second}.${fraction}`);
  }
  return message;
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
