import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** The apps that run as services: the four services and the gateway. */
export const services = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'];
