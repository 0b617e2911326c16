export { formatTable, type TableColumn, type TableOptions } from './format-table';
export { truncateText } from './truncate-text';
