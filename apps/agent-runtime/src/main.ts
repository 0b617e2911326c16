import { runService } from '@daycare/service-kit';
import { readConfig } from './config';
import { buildService } from './service';

void runService({ name: 'agent-runtime', readConfig, build: buildService });
