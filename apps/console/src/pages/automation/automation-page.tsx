import { topology } from '../../data/topology';
import { PageHead } from '../../ui/layout';
import { Skeleton } from '../../ui/states';
import { ChannelSection } from './channel-section';
import { CronSection } from './cron-section';
import { EndpointSection } from './endpoint-section';
import { HeartbeatSection } from './heartbeat-section';
import { SignalSection } from './signal-section';

/** What happens without a message from a person: schedules, signals, channels and requests from outside. */
export function AutomationPage() {
  const view = topology.value;
  return (
    <>
      <PageHead
        title="Automation"
        about="What your agents do on their own, and how they reach each other."
      />
      {view ? (
        <>
          <CronSection crons={view.cronTasks?.crons ?? []} />
          <HeartbeatSection heartbeats={view.heartbeatTasks?.heartbeats ?? []} />
          <SignalSection subscriptions={view.signalSubscriptions?.subscriptions ?? []} />
          <ChannelSection channels={view.channels?.channels ?? []} />
          <EndpointSection endpoints={view.exposeEndpoints?.endpoints ?? []} />
        </>
      ) : (
        <Skeleton lines={4} />
      )}
    </>
  );
}
