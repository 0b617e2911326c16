import { DescriptorKind } from '@daycare/contracts/agent-runtime';
import type { Session } from '../client/session';
import { isId } from '../output/short-id';
import { ansiColours } from '../terminal/colours';
import { agentTitle, listAgents } from './agents';
import { isNametag, loadFriends } from './friends';
import type { NameKind } from './name-kinds';
import { findNamed, notFound } from './pick';
import { findFriend } from './pick-friend';
import { sources } from './sources';
import { listSubusers } from './subusers';

/**
 * Returns the id of the object that a person means (the nametag of a friend, the name of a channel). The name of a
 * subuser also stands for its gateway agent where an agent is expected. A complete id is returned unchanged, without a
 * call. Throws if no object matches, except for complete ids, friends and channels, which the service checks.
 */
export async function resolveName(
  session: Session,
  kind: NameKind,
  text: string,
  isExact = false,
): Promise<string> {
  if (isId(text)) return text;
  if (kind === 'friend') return resolveFriend(session, text, isExact);
  if (kind === 'channel') return text;
  const source = sources[kind];
  const all = await source.load(session);
  const found = findNamed(text, all, source, isExact);
  if (found) return found.id;
  if (kind === 'agent') return resolveGateway(session, text, isExact);
  throw notFound(text, source);
}

/**
 * Returns the nametag of the friend, or of the shared subuser, with this nickname or name. Returns a nametag unchanged,
 * and also text that matches neither; the service refuses such text unless it is the name of one of the person's own
 * subusers. Such a name takes precedence over everything except a complete nametag or nickname.
 */
async function resolveFriend(session: Session, text: string, isExact: boolean): Promise<string> {
  if (isNametag(text)) return text;
  const found = findFriend(text, await loadFriends(session), isExact);
  if (!found) return text;
  const isSubuser = !found.isCertain && (await isOwnSubuser(session, text));
  return isSubuser ? text : found.nametag;
}

async function isOwnSubuser(session: Session, text: string): Promise<boolean> {
  const lower = text.toLowerCase();
  return (await listSubusers(session)).some(({ name }) => name.toLowerCase() === lower);
}

/** Returns the id of a subuser's gateway agent, found by the name of the subuser. */
async function resolveGateway(session: Session, text: string, isExact: boolean): Promise<string> {
  const subusers = await sources.subuser.load(session);
  const subuser = findNamed(text, subusers, sources.subuser, isExact);
  if (!subuser) throw notFound(text, sources.agent);
  const gateways = { subuserId: subuser.id, kinds: [DescriptorKind.SUBUSER] };
  const [gateway] = await listAgents(session, gateways);
  if (!gateway) throw notFound(text, sources.agent);
  return gateway.id;
}

/**
 * Returns the id of the agent that the person last talked to, preferring active agents. On a terminal, prints which
 * agent that is, because it may differ from one command to the next.
 */
export async function currentAgentId(session: Session): Promise<string> {
  const agent = await session.mostRecentAgent();
  if (process.stderr.isTTY && process.stdout.isTTY)
    process.stderr.write(ansiColours.dim(`Using agent ${agentTitle(agent)}.\n`));
  return agent.id;
}
