import { runService } from '@daycare/service-kit';
import { readConfig } from './config';
import { indexes } from './indexes';
import { buildService } from './service';

void runService({ name: 'social-graph', readConfig, build: buildService, indexes });
