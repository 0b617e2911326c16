export { formatPairs } from './format-pairs';
export { formatTable, type TableColumn } from './format-table';
export { truncateText } from './truncate-text';
export { textWidth } from './text-width';
