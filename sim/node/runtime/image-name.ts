/** Names of images as a container runtime resolves them. Pure. */
import { hash32, hexDigest } from '../text-digest.ts';

/** With registry, path and tag: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasRegistry ? image : `docker.io/${rest.length > 0 ? image : `library/${image}`}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? path : `${path}:latest`;
}

/** What conformance tests of Kubernetes ask for because nobody has it. */
const NOBODY_HAS = 'docker.io/library/webserver:404';

export const isKnownMissing = (image: string): boolean => fullImageName(image) === NOBODY_HAS;

const SHELL_IMAGE = /(^|\/)(alpine|bash|busybox|debian|fedora|ubuntu)$/;

/** Whether such an image runs a shell where nobody says what else. */
export const isShellImage = (image: string): boolean => SHELL_IMAGE.test(withoutTag(image));

const BUSYBOX_IMAGE = /(^|\/)(agnhost|alpine|busybox)$/;

/** Whether the shell of an image, if it has one, is BusyBox's. */
export const isBusyBoxImage = (image: string): boolean => BUSYBOX_IMAGE.test(withoutTag(image));

const withoutTag = (image: string): string => fullImageName(image).replace(/@.*$|:[^/:]*$/, '');

const SMALLEST_BYTES = 2_000_000;
const SPREAD_BYTES = 150_000_000;

/** Bytes of a pulled image: a function of its name alone. */
export function imageSizeOf(image: string): number {
  return SMALLEST_BYTES + (hash32(fullImageName(image)) % SPREAD_BYTES);
}

/** A digest-like identifier that depends on the image's name alone. */
export function imageIdOf(image: string): string {
  const name = fullImageName(image);
  return `${withoutTag(image)}@sha256:${hexDigest(name, 8)}`;
}
