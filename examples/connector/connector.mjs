/**
 * A bridge from any chat that can call webhooks: POST /messages with { "chat": "42", "text": "hello" } passes the text
 * to the agent of that chat, and the agent's answer is posted to WEBHOOK_URL as { "chat": "42", "text": "…" }.
 * Usage: DAYCARE_URL=… DAYCARE_TOKEN=… WEBHOOK_URL=… PORT=3000 node connector.mjs
 */
import { createServer } from 'node:http';
import { connect, isDaycareError } from '@daycare/client';

const { DAYCARE_URL, DAYCARE_TOKEN, WEBHOOK_URL, PORT = '3000' } = process.env;
const daycare = connect({ url: DAYCARE_URL ?? 'http://127.0.0.1:8080', token: DAYCARE_TOKEN });
const maxBodyBytes = 100_000;

const server = createServer(async (request, response) => {
  try {
    const { chat, text, id } = JSON.parse(await readBody(request));
    const agent = daycare.agent({ connector: 'webhook', channelId: String(chat) });
    // If the chat gives each message an `id`, posting a message again does not send it to the agent twice.
    const options = id === undefined ? {} : { requestId: `${chat}:${id}` };
    const asked = agent.ask(String(text), options);
    response.writeHead(202).end();
    await deliver({ chat, text: (await asked).text });
  } catch (error) {
    console.error(isDaycareError(error) ? `${error.reason}: ${error.message}` : error);
    if (!response.headersSent) response.writeHead(400).end();
  }
});

async function readBody(request) {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > maxBodyBytes) throw new Error('the message is too large');
  }
  return body;
}

/** Posts an answer to the chat. Makes up to five attempts, in case the chat is down for a moment. */
async function deliver(message, attempt = 1) {
  try {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(message);
    const { ok, status } = await fetch(WEBHOOK_URL, { method: 'POST', headers, body });
    if (!ok) throw new Error(`the webhook responded with status ${status}`);
  } catch (error) {
    if (attempt === 5) throw error;
    await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    await deliver(message, attempt + 1);
  }
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on ${server.address().port}`);
});
process.once('SIGTERM', () => {
  server.close();
  daycare.close();
});
