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

/** The id of the object that a person means; a complete id is returned as it is, without a call. */
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
 * The nametag of the friend with this nickname or name. A nametag is returned as it is, and so is a text that matches
 * no friend: if it does not name a subuser either, the service refuses it. The name of one of the person's own subusers
 * takes precedence over everything except a complete nametag or nickname.
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

/** A subuser's gateway, by the name of the subuser. */
async function resolveGateway(session: Session, text: string, isExact: boolean): Promise<string> {
  const subusers = await sources.subuser.load(session);
  const subuser = findNamed(text, subusers, sources.subuser, isExact);
  if (!subuser) throw notFound(text, sources.agent);
  const gateways = { subuserId: subuser.id, kinds: [DescriptorKind.SUBUSER] };
  const [gateway] = await listAgents(session, gateways);
  if (!gateway) throw notFound(text, sources.agent);
  return gateway.id;
}

/** The agent that the person last talked to. It may differ after every chat, so a terminal shows which one it is. */
export async function currentAgentId(session: Session): Promise<string> {
  const agent = await session.mostRecentAgent();
  if (process.stderr.isTTY && process.stdout.isTTY)
    process.stderr.write(ansiColours.dim(`Using agent ${agentTitle(agent)}.\n`));
  return agent.id;
}
