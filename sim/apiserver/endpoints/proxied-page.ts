/**
 * Pages that come through a proxy of the API: their addresses are led through it again, as far as they are those of the same
 * host. Pure. Kubernetes 1.31: the proxy's transport.
 */

/** Which attributes of which tags are addresses. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};
const TAG = /<([a-zA-Z]+)(\s[^>]*)>/g;
const ATTRIBUTE = /([a-zA-Z]+)=("[^"]*"|'[^']*')/g;

/** `prefix`: the path of the proxy, without a slash at its end. */
export const proxiedPage = (page: string, prefix: string): string =>
  page.replaceAll(TAG, (whole, tag: string, rest: string) => {
    const known = ADDRESSES[tag.toLowerCase()];
    if (!known) return whole;
    const led = rest.replaceAll(ATTRIBUTE, (attribute, name: string, quoted: string) =>
      known.includes(name.toLowerCase()) ? `${name}="${ledThrough(quoted.slice(1, -1), prefix)}"` : attribute,
    );
    return `<${tag}${led}>`;
  });

/** What is relative, or of another host, leads where it led. */
const ledThrough = (address: string, prefix: string): string =>
  !address.startsWith('/') || address.startsWith('//') || address.startsWith(prefix)
    ? address
    : `${prefix}${address}`;
