import { describe, expect, it } from '@jest/globals';
import { html } from './html';

describe('html', () => {
  it('escapes values, but leaves markup as it is', () => {
    const attack = `"><script>alert('&')</script>`;
    const list = [html`<b>${attack}</b>`];
    const { text } = html`<p title="${attack}">${list}</p>`;
    const escaped = '&#34;&#62;&#60;script&#62;alert(&#39;&#38;&#39;)&#60;/script&#62;';
    expect(text).toBe(`<p title="${escaped}"><b>${escaped}</b></p>`);
  });
});
