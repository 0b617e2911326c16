import type { ComponentChildren } from 'preact';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Whether the column contains numbers, which are right-aligned. */
  readonly isNumber?: boolean;
}

/**
 * A table with a caption for screen readers. On a phone each row is a block of named values. The roles are
 * explicit, because browsers drop the implicit roles of elements that are not displayed as a table. On wider
 * screens the table scrolls sideways if it does not fit.
 */
export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}) {
  return (
    <div class="table-scroll" role="group" aria-label={caption} tabIndex={0}>
      <table class="data" role="table">
        <caption class="hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isNumber }) => (
              <th
                key={title}
                scope="col"
                role="columnheader"
                class={isNumber ? 'number' : undefined}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ title, cell, isNumber }) => (
                <td
                  key={title}
                  role="cell"
                  data-title={title}
                  class={isNumber ? 'number' : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
