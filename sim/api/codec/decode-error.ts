/** A body that cannot be decoded. The message is what the server prints after `cannot be handled as a …: `. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
