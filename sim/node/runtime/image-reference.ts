/** Whether a text can be the name of an image, and what is said of it if not. Pure. */

const HOST = String.raw`(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])`;
const DOMAIN = String.raw`(?:${HOST}(?:\.${HOST})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`;
const PART = String.raw`[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`;
const TAG = String.raw`:\w[\w.-]{0,127}`;
const DIGEST = String.raw`@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`;
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PART}(?:/${PART})*(?:${TAG})?(?:${DIGEST})?$`);
const ID = /^[a-f0-9]{64}$/;
const LOCAL = 'localhost';
const HUB = 'docker.io';

/** Undefined: it can. */
export function imageNameProblem(image: string): string | undefined {
  if (ID.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const { domain, rest } = split(image);
  const [repository = ''] = rest.split(':');
  if (repository.toLowerCase() !== repository)
    return `invalid reference format: repository name (${repository}) must be lowercase`;
  return REFERENCE.test(`${domain}/${rest}`) ? undefined : 'invalid reference format';
}

/** What is before the first slash is a host if it looks like one. */
function split(image: string): { readonly domain: string; readonly rest: string } {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(0, slash));
  const isHost = /[.:]/.test(first) || first === LOCAL || first.toLowerCase() !== first;
  if (slash < 0 || !isHost) return { domain: HUB, rest: image.includes('/') ? image : `library/${image}` };
  const domain = first === `index.${HUB}` ? HUB : first;
  const rest = image.slice(slash + 1);
  return { domain, rest: domain === HUB && !rest.includes('/') ? `library/${rest}` : rest };
}
