import { describe, expect, it } from '@jest/globals';
import { defineCommand } from './command';
import { findOption } from './find-option';

const command = defineCommand({
  name: 'create',
  description: 'create a channel',
  args: [['<subuser-id>', 'id of a subuser']],
  options: [
    ['--agent <id>', 'the leader'],
    ['--subuser <id>', 'another subuser'],
    ['--time-zone <name>', 'time zone'],
    ['--delay <ms>', 'delay'],
    ['--from <day>', 'first day'],
    ['--cost <amount>', 'limit'],
    ['-f, --file <id>', 'attachment'],
  ],
  examples: ['create x'],
  run: async () => undefined,
});

describe('findOption', () => {
  it.each([
    ['time_zone', '--time-zone'],
    ['leader_agent_id', '--agent'],
    ['file_ids', '--file'],
    ['delay_ms', '--delay'],
    ['from_day', '--from'],
    ['max_cost_micros', '--cost'],
    ['request_id', '--request-id'],
  ])('maps the field %s to the option %s', (field, option) => {
    expect(findOption(field, command)).toBe(option);
  });

  it.each(['subuser_id', 'message_id', 'nametag'])(
    'finds no option for the field %s, because an argument sets it or no option matches it',
    (field) => {
      expect(findOption(field, command)).toBeUndefined();
    },
  );
});
