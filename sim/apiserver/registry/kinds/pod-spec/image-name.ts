/** References of container images: `registry/name:tag@digest`, as the distribution of images reads them. */

/** Latest images are pulled anew each time; an image that says which one it is, once. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const MAX_NAME = 255;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** Such a name would be taken for an image's id. */
const IDENTIFIER = /^[a-f0-9]{64}$/;
const DEFAULT_HOST = 'docker.io';

/** `latest` where neither tag nor digest is given; empty for a digest alone and for what is no reference. */
function tagOf(image: string): string {
  if (IDENTIFIER.test(image)) return '';
  const at = image.indexOf('@');
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const named = at < 0 ? image : image.slice(0, at);
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  const isValid =
    isName(name) && (tag === undefined || TAG.test(tag)) && (digest === undefined || DIGEST.test(digest));
  if (!isValid) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** With the registry and its library where they are left out, for that is what has to be short enough. */
function isName(name: string): boolean {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const host = isHost ? first : DEFAULT_HOST;
  const path = isHost ? name.slice(slash + 1) : name;
  const remote = host === DEFAULT_HOST && !path.includes('/') ? `library/${path}` : path;
  // What is no host may still be the first part of a path.
  const isReadable = (HOST.test(host) || REPOSITORY.test(host)) && REPOSITORY.test(remote);
  return isReadable && host.length + 1 + remote.length <= MAX_NAME;
}
