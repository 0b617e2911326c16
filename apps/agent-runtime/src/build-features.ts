import { shardOf } from '@daycare/messaging';
import { buildExec } from './exec/build';
import { buildHomes } from './homes/build';
import { buildMemory } from './memory/build';
import { buildModels } from './models/build';
import { buildSchedules } from './schedules/build';
import { buildScope } from './scope/build';
import { buildSkills } from './skills/build';
import { buildSpending } from './spending/build';
import { buildSubusers } from './subusers/build';
import { buildTools } from './tools/build';
import { buildTurns } from './turns/build';
import { buildCore, type Core, type FeaturesDeps, type LaterFeatures } from './build-core';

export type Features = Awaited<ReturnType<typeof buildFeatures>>;

/** Builds every feature. */
export async function buildFeatures(deps: FeaturesDeps) {
  const later = {} as LaterFeatures;
  const core = buildCore(deps, later);
  const abilities = await buildAbilities(deps, core);
  const engine = buildEngine(deps, core, abilities, later);
  const { agents, connectors, files, messaging, permissions } = core;
  const { exec, homes, schedules, scope, skills, subusers, tools } = abilities;
  const { models, spending, turns } = engine;
  const userDataStores = [
    ...agents.userDataStores,
    ...messaging.userDataStores,
    ...files.userDataStores,
    ...permissions.userDataStores,
    ...schedules.userDataStores,
    ...exec.userDataStores,
    ...tools.userDataStores,
    ...spending.userDataStores,
    ...models.userDataStores,
    ...turns.userDataStores,
    ...homes.userDataStores,
  ];
  const built: LaterFeatures = { messaging, permissions, homes, subusers, models, userDataStores };
  Object.assign(later, built);
  return {
    agents,
    connectors,
    messaging,
    models,
    files,
    permissions,
    schedules,
    scope,
    spending,
    skills,
    tools,
    turns,
  };
}

type Abilities = Awaited<ReturnType<typeof buildAbilities>>;

/** Builds what agents can do: schedules, users' directories, programs, subusers and tools. */
async function buildAbilities(
  { config, connections, kit, now }: FeaturesDeps,
  { peers, agents, files, messaging, permissions }: Core,
) {
  const { guards, sleepAfterMs, usersDir, homeQuotaBytes } = config;
  const { db, directory, deletedUsers, feed, stream, changes } = connections;
  const schedules = buildSchedules({
    db,
    agents: agents.store,
    inbox: messaging.inbox,
    endAgent: messaging.endAgent,
    findOrCreateAgent: agents.findOrCreateAgent,
    rankForeground: agents.rankForeground,
    deliverToAgent: messaging.deliverToAgent,
    deliverToForeground: messaging.deliverToForeground,
    files: files.store,
    interruptAgent: (agentId) => feed.interrupt([agentId]),
    ownerOf: agents.ownerOf,
    timeZoneOf: peers.timeZoneOf,
    shardOf: (userId) => shardOf(userId, stream.shards),
    hintUser: changes.hintUser,
    scheduleSpeed: config.scheduleSpeed,
    heartbeatEveryMs: config.heartbeatEveryMs,
    kit,
    now,
  });
  const scope = buildScope({
    outlines: agents.outlines,
    crons: schedules.crons,
    heartbeats: schedules.heartbeats,
    surveySchedules: schedules.survey,
    sleepAfterMs,
    now,
  });
  const homes = await buildHomes({
    db,
    deletedUsers,
    ownerOf: agents.ownerOf,
    usersDir,
    homeQuotaBytes,
    measureUploads: (userId) => files.store.sizeOf(userId),
    log: kit.log,
    now,
  });
  const { homes: userHomes } = homes;
  const memory = userHomes && buildMemory({ homes: userHomes, now });
  const skills = buildSkills({ homes: userHomes, directory });
  const exec = await buildExec({
    db,
    hasPermission: permissions.hasPermission,
    homes: userHomes,
    sandbox: config.sandbox,
    usersDir,
    homeQuotaBytes,
    kit,
    now,
  });
  const subusers = buildSubusers({
    subusers: peers.subusers,
    namesOfSubusers: peers.namesOfSubusers,
    agents: agents.store,
    findOrCreateAgent: agents.findOrCreateAgent,
    describeAgents: agents.describeAgents,
    ensureHome: async (userId) => userHomes?.ensure(userId),
    now,
  });
  const tools = buildTools({
    db,
    agents: agents.store,
    guards,
    toolCeiling: config.toolCeiling,
    peers,
    messaging,
    requestPermission: permissions.requestPermission,
    requestApproval: permissions.requestApproval,
    confirmApproval: permissions.confirmApproval,
    createAgent: agents.createAgent,
    schedules: schedules.usecases,
    subusers,
    skills: skills.catalog,
    homes: userHomes,
    attachments: files,
    searchFiles: homes.searchFiles,
    memory,
    runProgram: exec.runProgram,
    now,
  });
  return { schedules, scope, homes, skills, exec, subusers, tools };
}

/** Builds what runs agents: models, what they cost, and turns. */
function buildEngine(
  { config, connections, kit, now }: FeaturesDeps,
  { peers, agents, files, messaging, permissions }: Core,
  { schedules, skills, tools }: Abilities,
  later: LaterFeatures,
) {
  const { db, directory, feed, stream, changes } = connections;
  const spending = buildSpending({
    db,
    agents: agents.store,
    usage: agents.usage,
    directory,
    rankForeground: agents.rankForeground,
    deliverToAgent: messaging.deliverToAgent,
    config: config.spending,
    addedPrice: (model) => later.models.addedPriceOf(model),
    knownPrice: (model) => later.models.knownPriceOf(model),
    modelLabel: (model) => later.models.labelOf(model),
    kit,
    now,
  });
  const models = buildModels({
    db,
    config: config.models,
    currency: spending.currency,
    agents: agents.store,
    usage: agents.usage,
    meter: spending.meter,
    priceOf: spending.priceOf,
    directory,
    kit,
    now,
  });
  const turns = buildTurns({
    db,
    agents: agents.store,
    history: agents.history,
    inbox: messaging.inbox,
    mailbox: messaging.mailbox,
    deadLetters: messaging.deadLetters,
    expireTurnRequests: permissions.expireTurnRequests,
    hasPending: permissions.hasPending,
    deliverToAgent: messaging.deliverToAgent,
    endAgent: messaging.endAgent,
    endRun: schedules.endRun,
    routeMailbox: messaging.routeMailbox,
    models: models.chooser,
    tools: tools.registry,
    loadImages: files.loadImages,
    meter: spending.meter,
    skills: skills.catalog,
    feed,
    hintUser: changes.hintUser,
    shardCount: stream.shards,
    leaseTtlMs: config.leaseTtlMs,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
    profileOf: peers.profileOf,
    contextLimits: config.contextLimits,
    turnLimits: config.turnLimits,
    guestTurnsPerHour: config.guestTurnsPerHour,
    maxTurns: config.maxTurns,
    maxTurnsPerUser: config.maxTurnsPerUser,
    kit,
    now,
  });
  return { spending, models, turns };
}
