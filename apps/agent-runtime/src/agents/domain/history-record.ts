export * from './context/history-record';
