/** Bytes in texts, beside how the platform writes them; and texts that are none, at the place where they cease to be. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { canonicalBase64, decodeBase64, encodeBase64 } from './base64.ts';

/** Line breaks before characters of a text, by place. */
const brokenUp = (text: string, breaks: readonly string[]): string =>
  [...text].map((character, at) => `${breaks[at % Math.max(1, breaks.length)] ?? ''}${character}`).join('');

const drawn = fc.record({
  bytes: fc.uint8Array({ maxLength: 12 }),
  breaks: fc.array(fc.constantFrom('', '', '\n', '\r\n'), { maxLength: 5 }),
});

it('bytes are written as everywhere, and read back whatever lines they stand in', () => {
  fc.assert(
    fc.property(drawn, ({ bytes, breaks }) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(encodeBase64(bytes)).toBe(text);
      expect([...decodeBase64(brokenUp(text, breaks))]).toEqual([...bytes]);
      expect(canonicalBase64(brokenUp(text, breaks))).toBe(text);
    }),
    asOftenAs(300),
  );
});

it('a text that goes wrong is refused with the place', () => {
  fc.assert(
    fc.property(drawn, fc.constantFrom('*', '-', '_', ' ', '=', 'A'), ({ bytes, breaks }, stranger) => {
      const text = brokenUp(Buffer.from(bytes).toString('base64'), breaks);
      const isPadded = text.endsWith('=');
      const refusal = (at: number): string => `illegal base64 data at input byte ${at}`;
      // Behind padding nothing may come; without it a letter begins a group, whose beginning is named.
      expect(() => decodeBase64(`${text}${stranger}`)).toThrow(refusal(text.length));
      expect(() => decodeBase64(`${text}${stranger}\n`)).toThrow(refusal(text.length));
      if (isPadded) {
        const padding = text.indexOf('=');
        const [before, count] = [
          text.slice(0, padding),
          text.endsWith('==') || /=[\r\n]+=$/.test(text) ? 2 : 3,
        ];
        let begins = before.length;
        for (let left = count; left > 0;) if (!/[\r\n]/.test(before[--begins] ?? '')) left--;
        expect(() => decodeBase64(before)).toThrow(refusal(begins));
      }
    }),
    asOftenAs(300),
  );
});
