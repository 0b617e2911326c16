/**
 * `--profile` loads this file into every Node process that the bench starts. It samples where the process spends its
 * time, and writes the samples when the process exits.
 */
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { basename, dirname, join } = require('node:path');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
session.post('Profiler.start');

process.on('exit', () => {
  session.post('Profiler.stop', (error, result) => {
    if (error) return;
    const name = basename(dirname(process.argv[1] ?? ''));
    const file = join(process.env.BENCH_PROFILE_DIR, `${name}-${process.pid}.cpuprofile`);
    writeFileSync(file, JSON.stringify(result.profile));
  });
});
