/** The sum of a metric over all its labels and over several services. */
export async function readMetric(urls: readonly string[], name: string): Promise<number> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  return texts.reduce((sum, text) => sum + sumMetric(text, name), 0);
}

/** Adds up the values of a metric in the text that Prometheus reads. */
export function sumMetric(text: string, name: string): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
