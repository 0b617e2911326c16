/** A page's props: the values of the `:name` segments of its path. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}
