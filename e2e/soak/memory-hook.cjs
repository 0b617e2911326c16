/**
 * Loaded into the processes that a soak measures: on SIGUSR2, collects garbage and reports how much memory is
 * in use. Without that collection, the memory of a process says nothing about leaks: the collector and the
 * allocator release memory late, if ever.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');

const session = new Session();
session.connect();

process.on('SIGUSR2', () => {
  session.post('HeapProfiler.collectGarbage', () => {
    const file = join(process.env.SOAK_MEMORY_DIR, `${process.pid}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
});
