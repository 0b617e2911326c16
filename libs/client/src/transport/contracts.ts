/** The services that clients call. */
export { AgentRuntimeServiceService as agentRuntime } from '@daycare/contracts/agent-runtime';
export { IdentityServiceService as identity } from '@daycare/contracts/identity';
export { SocialGraphServiceService as socialGraph } from '@daycare/contracts/social-graph';
export { TopologyServiceService as topology } from '@daycare/contracts/topology';
