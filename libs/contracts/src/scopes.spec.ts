import { expect, it } from '@jest/globals';
import {
  agentRuntimeScopes,
  identityScopes,
  socialGraphScopes,
  topologyScopes,
  type ScopeRule,
} from './scopes';

const takingSignIn = (table: Readonly<Record<string, ScopeRule>>): string[] =>
  Object.keys(table).filter((method) => table[method] === 'none');

it('no personal access token can create credentials, end sign-ins, delete the account or run tools directly', () => {
  expect(takingSignIn(identityScopes)).toEqual([
    ...['deleteUser', 'issueToken', 'revokeSessions'],
    ...['createAccessToken', 'listAccessTokens', 'revokeAccessToken', 'createSignInCode'],
  ]);
  expect(takingSignIn(agentRuntimeScopes)).toEqual([
    ...['watchConnector', 'callTool'],
    ...['ensureAgent', 'markWired', 'countWaitingMessages', 'listScope'],
  ]);
  expect(takingSignIn(socialGraphScopes)).toEqual(['deliverAgentMessage', 'checkDelivery']);
  expect(takingSignIn(topologyScopes)).toEqual(['forwardAgentMessage']);
});
