/** Names of images as a container runtime resolves them. Pure. */

/** With registry, path and tag: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasRegistry ? image : `docker.io/${rest.length > 0 ? image : `library/${image}`}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? path : `${path}:latest`;
}

const SMALLEST_BYTES = 2_000_000;
const SPREAD_BYTES = 150_000_000;

/** Bytes of a pulled image: a function of its name alone. */
export function imageSizeOf(image: string): number {
  return SMALLEST_BYTES + (hash(fullImageName(image), 0x811c9dc5) % SPREAD_BYTES);
}

/** A digest-like identifier that depends on the image's name alone. */
export function imageIdOf(image: string): string {
  const name = fullImageName(image);
  const words = Array.from({ length: 8 }, (_, index) => hash(name, 0x811c9dc5 + index * 0x01000193));
  const digest = words.map((word) => word.toString(16).padStart(8, '0')).join('');
  return `${name.replace(/@.*$|:[^/:]*$/, '')}@sha256:${digest}`;
}

/** FNV-1a of 32 bits, with a start of its own for each word, mixed once more at the end. */
function hash(text: string, start: number): number {
  let word = start | 0;
  for (let index = 0; index < text.length; index += 1)
    word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
  word = Math.imul(word ^ (word >>> 15), 0x85ebca6b);
  return (word ^ (word >>> 13)) >>> 0;
}
