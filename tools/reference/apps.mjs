import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** The apps that are deployed. */
export const services = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'];
