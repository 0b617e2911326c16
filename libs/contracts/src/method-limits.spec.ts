import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { AgentRuntimeServiceService } from './agent-runtime';
import { HealthService } from './health';
import { IdentityServiceService } from './identity';
import { limitedPaths, limitsOf } from './method-limits';
import { SocialGraphServiceService } from './social-graph';
import { TopologyServiceService } from './topology';

const contracts = [
  AgentRuntimeServiceService,
  HealthService,
  IdentityServiceService,
  SocialGraphServiceService,
  TopologyServiceService,
];
/** RPCs that only services call; services may send larger requests. */
const internal = new Set(['DeliverAgentMessage', 'ForwardAgentMessage']);

it('limits are set only for RPCs that exist', () => {
  const paths = contracts.flatMap((contract) => Object.values(contract).map(({ path }) => path));
  expect(paths).toEqual(expect.arrayContaining([...limitedPaths]));
});

const folder = join(__dirname, '../../../proto/daycare');

/** The RPCs whose request comments allow text of 32,768 characters. */
function requestsWithText(): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('_service.proto'))
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split(/^message /m)
        .slice(1),
    )
    .filter((message) => message.includes('32,768 characters'))
    .flatMap((message) => /^(\w+)Request\b/.exec(message)?.[1] ?? []);
}

it('requests may be large enough for the longest text that the contracts allow', () => {
  const textRequests = requestsWithText();
  expect(textRequests).toEqual(
    expect.arrayContaining(['PostMessage', 'SendFriendMessage', 'CreateCron']),
  );
  const methods = contracts.flatMap((contract) => Object.values(contract));
  const tooSmall = methods.filter(
    ({ path, requestStream }) =>
      !requestStream &&
      textRequests.includes(path.split('/')[2] ?? '') &&
      limitsOf(path, ['user']).maxRequestBytes < 4 * 32_768 + 65_536 &&
      !internal.has(path.split('/')[2] ?? ''),
  );
  expect(tooSmall.map(({ path }) => path)).toEqual([]);
});

it('an RPC that only services and operators may call accepts larger requests than one that users may call', () => {
  const path = '/daycare.identity.v1.IdentityService/Any';
  const maxServiceBytes = limitsOf(path, ['service:topology', 'admin']).maxRequestBytes;
  expect(maxServiceBytes).toBeGreaterThan(limitsOf(path, ['service', 'user']).maxRequestBytes);
});
