import { runService } from '@daycare/service-kit';
import { readConfig } from './config';
import { buildService } from './service';
import { indexes } from './store/open-stores';

void runService({ name: 'topology', readConfig, build: buildService, indexes });
