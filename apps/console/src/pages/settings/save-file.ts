/** Makes the browser save a file under this name. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // A minute later, the browser has started to read the file and no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
