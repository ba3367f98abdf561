import { expect, it } from 'vitest';
import { proxiedPage } from './proxied-page.ts';

it.each([
  ['<a href="/rewriteme">test</a>', '<a href="/p/proxy/rewriteme">test</a>'],
  [`<IMG class='x' SRC='/a.png'>`, `<IMG class='x' SRC="/p/proxy/a.png">`],
  ['<a href="/p/proxy/x">in</a>', '<a href="/p/proxy/x">in</a>'],
  ['<a href="x">relative</a>', '<a href="x">relative</a>'],
  ['<a href="//other/x">other</a>', '<a href="//other/x">other</a>'],
  ['<a href="https://other/x">other</a>', '<a href="https://other/x">other</a>'],
  ['<b href="/x">no address</b> a < b', '<b href="/x">no address</b> a < b'],
])('leads addresses of its host through the proxy: %s', (page, led) => {
  expect(proxiedPage(page, '/p/proxy')).toBe(led);
});
