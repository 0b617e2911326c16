import { runService } from '@daycare/service-kit';
import { readConfig } from './config';
import { buildService } from './service';

void runService({ name: 'gateway', readConfig, build: buildService });
