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

it('no personal access token can manage access tokens, issue tokens or sign-in codes, revoke sessions, delete the account, run tools directly or make the calls of connectors and services', () => {
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
