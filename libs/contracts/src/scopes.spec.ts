import { expect, it } from '@jest/globals';
import {
  agentRuntimeScopes,
  identityScopes,
  socialGraphScopes,
  topologyScopes,
  type ScopeRule,
} from './scopes';

const methodsWithoutScope = (table: Readonly<Record<string, ScopeRule>>): string[] =>
  Object.keys(table).filter((method) => table[method] === 'none');

it('no personal access token can create credentials, end sessions, delete the account or run tools directly', () => {
  expect(methodsWithoutScope(identityScopes)).toEqual([
    ...['deleteUser', 'issueToken', 'revokeSessions'],
    ...['createAccessToken', 'listAccessTokens', 'revokeAccessToken', 'createSignInCode'],
  ]);
  expect(methodsWithoutScope(agentRuntimeScopes)).toEqual([
    ...['watchConnector', 'callTool'],
    ...['ensureAgent', 'markWired', 'countWaitingMessages', 'listScope'],
  ]);
  expect(methodsWithoutScope(socialGraphScopes)).toEqual(['deliverAgentMessage', 'checkDelivery']);
  expect(methodsWithoutScope(topologyScopes)).toEqual(['forwardAgentMessage']);
});
