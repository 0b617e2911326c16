/**
 * Measures the gateway's CPU time per call. The number of measured calls is fixed, and the same number is made before
 * them as a warm-up, so V8 has run the code equally often before every measurement, however fast the machine is at the
 * moment. One server that uses almost no CPU time replaces the services.
 * Usage: node bench/gateway-cost/main.mjs [--dist <folder>] [--calls <count>] [--in-flight <count>] [<protocol> …]
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { protocols } from './calls.mjs';

const here = import.meta.dirname;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: join(here, '../../dist') },
    calls: { type: 'string', default: '10000' },
    'in-flight': { type: 'string', default: '64' },
  },
});
const calls = Number(values.calls);
const inFlight = Number(values['in-flight']);
const unlimited = '1000000';
const microsPerTick = 10_000;

const upstream = fork(join(here, 'upstream.mjs'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
const [upstreamPort] = await once(createInterface(upstream.stdout), 'line');
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(protocols))
    await measure(name);
} finally {
  upstream.disconnect();
}

/** Each protocol gets its own gateway, so that code compiled for another protocol does not make it faster. */
async function measure(name) {
  const gateway = startGateway();
  try {
    const call = protocols[name](await portOf(gateway), inFlight);
    await repeat(call);
    const before = cpuMicros(gateway.pid);
    await repeat(call);
    const micros = (cpuMicros(gateway.pid) - before) / calls;
    console.log(`${name.padEnd(14)} ${Math.round(micros)} µs`);
  } finally {
    gateway.kill();
    await once(gateway, 'exit');
  }
}

function startGateway() {
  const services = ['IDENTITY', 'SOCIAL_GRAPH', 'AGENT_RUNTIME', 'TOPOLOGY'];
  const addresses = services.map((name) => [
    `DAYCARE_${name}_ADDRESS`,
    `127.0.0.1:${upstreamPort}`,
  ]);
  const env = {
    PATH: process.env.PATH,
    ...Object.fromEntries(addresses),
    DAYCARE_LISTEN: '127.0.0.1:0',
    DAYCARE_HTTP_LISTEN: '127.0.0.1:0',
    DAYCARE_GATEWAY_RATE_PER_SECOND: unlimited,
    DAYCARE_GATEWAY_RATE_BURST: unlimited,
  };
  const main = join(resolve(values.dist), 'gateway/main.js');
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Reads the port from the log line in which the gateway reports that it is ready. */
async function portOf({ stdout }) {
  for await (const line of createInterface(stdout)) {
    const { event, grpc } = JSON.parse(line);
    if (event === 'ready') return Number(grpc.split(':')[1]);
  }
  throw new Error('the gateway exited before it was ready');
}

async function repeat(call) {
  let remaining = calls;
  const caller = async () => {
    while (remaining-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
}

/** Returns the user and system time from /proc/<pid>/stat. */
function cpuMicros(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsPerTick;
}
