import { adminHeaderOption, findAdminAccess } from '../../client/auth/admin-authorization';
import { withIdentity } from '../../client/auth/sign-in';
import { RequestIds } from '../../client/rpc/request-ids';
import { textView } from '../../output/view';
import { toTime } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';

const rotate = defineCommand<{ adminHeader?: string; removeOthers?: boolean }>({
  name: 'rotate',
  description:
    'create a key for signing tokens; it is used only after services have had time to load it (admin only)',
  options: [
    [
      '--remove-others',
      'remove all other keys and use the new one immediately; all existing access tokens become invalid',
    ],
    adminHeaderOption,
  ],
  examples: ['key rotate', 'key rotate --remove-others --admin-header ./admin.header'],
  async run({ chosen, settings, global, timeoutMs, options }) {
    const context = await chosen();
    const { tls } = context.context;
    const access = findAdminAccess(context, options.adminHeader, settings);
    const peer = { context: context.name, timeoutMs, ...(tls ? { tls } : {}) };
    const requestId = new RequestIds(global.requestId).next();
    const removeOthers = options.removeOthers ?? false;
    const { keyId, activeFrom } = await withIdentity({ ...peer, ...access }, (identity) =>
      identity.rotateSigningKey({ requestId, removeOthers }),
    );
    const text = `Created key ${keyId}; it signs tokens from ${toTime(activeFrom)} on.`;
    return textView(text, { keyId, activeFrom });
  },
});

export const keyCommands: readonly AnyCommand[] = [rotate];
