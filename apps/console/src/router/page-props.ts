/** The props of a page: the values of the `:names` in its path. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}
