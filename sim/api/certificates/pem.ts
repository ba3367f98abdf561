/**
 * Blocks of PEM (RFC 7468) in a text, as Go reads them: what is no block is passed over, headers are let through. Every
 * part of the text is looked at once.
 */
import { decodeBase64 } from '../codec/base64.ts';
import { DecodeError } from '../codec/decode-error.ts';

export interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly hasHeaders: boolean;
}

const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const FIRST_LINE = /^([^\n]*?)-----[ \t]*\r?(?:\n|$)/;
const HEADER = /^[^\n:]*:[^\n]*(?:\n|$)/;
const BLANK = /^[ \t\r]*$/;

/** The first block that can be read: from the last beginning before an end to that. */
export const firstPemBlock = (text: string): PemBlock | undefined => blocksIn(text).next().value;

export const pemBlocks = (text: string): readonly PemBlock[] => [...blocksIn(text)];

function* blocksIn(text: string): Generator<PemBlock, undefined> {
  for (let from = 0, at = text.indexOf(END); at >= 0; from = at + END.length, at = text.indexOf(END, from)) {
    const lineEnd = text.indexOf('\n', at + END.length);
    const block = blockOf(
      text.slice(from, at),
      text.slice(at + END.length, lineEnd < 0 ? undefined : lineEnd),
    );
    if (block) yield block;
  }
  return undefined;
}

/** `last`: what follows the word END in its line. */
function blockOf(before: string, last: string): PemBlock | undefined {
  const at = before.lastIndexOf(BEGIN);
  if (at < 0 || (at > 0 && before[at - 1] !== '\n')) return undefined;
  const content = before.slice(at + BEGIN.length);
  const [line, type = ''] = FIRST_LINE.exec(content) ?? [];
  if (line === undefined || !last.startsWith(`${type}-----`) || !BLANK.test(last.slice(type.length + 5)))
    return undefined;
  const headed = content.slice(line.length);
  const body = withoutHeaders(headed);
  const bytes = bytesOf(body);
  return bytes && { type, bytes, hasHeaders: body.length < headed.length };
}

function withoutHeaders(content: string): string {
  let from = 0;
  for (let line = HEADER.exec(content); line; line = HEADER.exec(content.slice(from))) from += line[0].length;
  return content.slice(from);
}

function bytesOf(body: string): Uint8Array | undefined {
  try {
    return decodeBase64(body.replaceAll(/\s/g, ''));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
