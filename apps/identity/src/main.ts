import { runService } from '@daycare/service-kit';
import { readConfig } from './config';
import { indexes } from './indexes';
import { buildService } from './service';

void runService({ name: 'identity', readConfig, build: buildService, indexes });
