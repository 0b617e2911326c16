import type { Workload } from '../workload';
import { connectAgentRuntime, makeAgent, newPost } from './agents';
import { createPeople } from './people';

const people = 64;

/** Each call has a message accepted for one of many agents, which answer meanwhile. */
export const postMessageWorkload: Workload = {
  name: 'agent-runtime PostMessage',
  baseline: ['grpc-echo', 'mongo-insert'],
  async prepare(stack) {
    const persons = await createPeople(stack, people);
    const runtime = connectAgentRuntime(stack);
    await Promise.all(persons.map((person) => makeAgent(runtime, person)));
    let next = 0;
    return {
      run: () => runtime.postMessage(newPost(), persons[next++ % persons.length]!.as),
      close: async () => runtime.close(),
    };
  },
};
