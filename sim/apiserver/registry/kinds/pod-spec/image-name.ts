/** References of container images: `registry/name:tag@digest`. */

/** Latest images are pulled anew each time; an image that says which one it is, once. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const tag = tagOf(image);
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

const NAME = /^[a-z0-9]+([._-]+[a-z0-9]+)*$/;
const HOST = /^[A-Za-z0-9.-]+(:[0-9]+)?$/;
const MAX_PATH = 255;
const TAG = /^\w[\w.-]{0,127}$/;

/** `latest` where neither tag nor digest is given; empty for a digest and for what is no reference. */
function tagOf(image: string): string {
  if (image.includes('@')) return '';
  const slash = image.lastIndexOf('/');
  const colon = image.indexOf(':', slash + 1);
  const path = colon < 0 ? image : image.slice(0, colon);
  const tag = colon < 0 ? 'latest' : image.slice(colon + 1);
  return path.length <= MAX_PATH && isRepository(path) && TAG.test(tag) ? tag : '';
}

function isRepository(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  const isHost =
    rest.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const names = isHost ? rest : [first, ...rest];
  return (!isHost || HOST.test(first)) && names.every((name) => NAME.test(name));
}
