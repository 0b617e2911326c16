// Characters that control the terminal or reorder text, except for tabs and line breaks.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes untrusted text safe for a terminal by escaping control characters. */
export function safeText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(control, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Like `safeText`, but puts everything on one line. */
export function safeLine(text: string): string {
  return safeText(text).replace(/[\n\t]+/g, ' ');
}
