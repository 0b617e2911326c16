import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Block, Inline } from './markdown-tree';
import { parseMarkdown } from './parse-markdown';

/** Longer text is shown unformatted, because formatting it would take too long. */
const maxFormatted = 40_000;

/**
 * Text written by a model or a person. Its Markdown becomes elements from a fixed set, and HTML in it is shown as text.
 * Links lead to absolute URLs only, and images become links.
 */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(
    () => (text.length > maxFormatted ? undefined : parseMarkdown(text)),
    [text],
  );
  if (!blocks) return <pre class="plain-text">{text}</pre>;
  return <div class="markdown">{blocks.map(renderBlock)}</div>;
}

function renderBlock(block: Block, key: number): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p key={key}>{renderInlines(block.children)}</p>;
    case 'heading':
      // Not h1 to h6: headings in a message are not headings of the page.
      return (
        <p key={key} class={`markdown-heading level-${Math.min(block.level, 3)}`}>
          {renderInlines(block.children)}
        </p>
      );
    case 'code':
      return (
        <pre key={key} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote key={key}>{block.children.map(renderBlock)}</blockquote>;
    case 'list':
      return renderList(block, key);
    case 'table':
      return renderTable(block, key);
    case 'rule':
      return <hr key={key} />;
  }
}

function renderList({ start, items }: Extract<Block, { kind: 'list' }>, key: number) {
  const children = items.map((item, index) => (
    <li key={index}>
      {item.length === 1 && item[0]?.kind === 'paragraph'
        ? renderInlines(item[0].children)
        : item.map(renderBlock)}
    </li>
  ));
  return start === undefined ? (
    <ul key={key}>{children}</ul>
  ) : (
    <ol key={key} start={start}>
      {children}
    </ol>
  );
}

function renderTable({ head, rows }: Extract<Block, { kind: 'table' }>, key: number) {
  return (
    <div key={key} class="table-scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                {renderInlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{renderInlines(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInlines(inlines: readonly Inline[]): ComponentChildren {
  return inlines.map(renderInline);
}

function renderInline(inline: Inline, key: number): ComponentChildren {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return <code key={key}>{inline.text}</code>;
    case 'strong':
      return <strong key={key}>{renderInlines(inline.children)}</strong>;
    case 'emphasis':
      return <em key={key}>{renderInlines(inline.children)}</em>;
    case 'deleted':
      return <del key={key}>{renderInlines(inline.children)}</del>;
    case 'break':
      return <br key={key} />;
    case 'link':
      return (
        <a
          key={key}
          href={inline.href}
          title={inline.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {renderInlines(inline.children)}
        </a>
      );
  }
}
