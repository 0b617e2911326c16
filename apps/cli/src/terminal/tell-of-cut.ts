/** Tells a person who follows something why nothing comes for a while. */
export function tellOfCut(): void {
  if (process.stderr.isTTY) process.stderr.write('The connection is lost; trying again …\n');
}
