import { step, type Step } from './step';

/** Commands for crons and heartbeats, and for the topology that shows them. */
export const scheduleSteps: Step[] = [
  step(`cron add tea '0 16 * * *' 'Make tea' --time-zone Europe/Vienna`, {
    json: { name: 'tea', timeZone: 'Europe/Vienna', enabled: true },
    keep: { cron: 'id' },
  }),
  step('cron add tea often tea', { code: 2, text: /schedule/i }),
  step(`cron add cake '0 17 * * *' 'Bake' --overlap both`, { code: 2, text: /--overlap/ }),
  step('cron pause tea', { json: { enabled: false, status: 'CRON_STATUS_PAUSED' } }),
  step('cron resume TEA', { json: { enabled: true } }),
  step(`cron edit tea --overlap queue --schedule '0 17 * * *'`, {
    json: { schedule: '0 17 * * *', overlap: 'OVERLAP_POLICY_QUEUE' },
  }),
  step('cron run tea', { json: { id: '$cron' } }),
  step('cron list', { json: [{ id: '$cron', prompt: 'Make tea', lastRun: { manual: true } }] }),
  step('cron show tea', {
    json: { id: '$cron', overlap: 'OVERLAP_POLICY_QUEUE', recentRuns: [{ manual: true }] },
  }),
  step('cron show nosuch', { code: 3, text: /daycare cron list/ }),
  step('heartbeat add Mail -', {
    stdin: 'Look for mail',
    json: { title: 'Mail' },
    keep: { beat: 'id' },
  }),
  step('heartbeat list', { json: [{ id: '$beat', prompt: 'Look for mail' }] }),
  step('topology', {
    json: {
      self: { nametag: '$ada' },
      cronTasks: { count: 1 },
      heartbeatTasks: { count: 1 },
      friends: { friends: [{ nametag: '$bob' }] },
    },
  }),
  step('topology --tree', { text: /agents \(\d\)\n[^]*─ .*Chef .*\n[^]*─ tea "0 17/ }),
  step('topology --watch --limit 1', { json: { self: { nametag: '$ada' } } }),
  step('cron remove $cron', { json: { cronId: '$cron' } }),
  step('cron remove $cron', { code: 3, text: /daycare cron list/ }),
  step('heartbeat remove mail', { json: { heartbeatId: '$beat' } }),
];
