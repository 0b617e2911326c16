/**
 * Asks your agent something and prints the answer.
 * Usage: DAYCARE_URL=http://127.0.0.1:8080 DAYCARE_TOKEN=… node quickstart.mjs "What can you do?"
 */
import { connect } from '@daycare/client';

const { DAYCARE_URL: url = 'http://127.0.0.1:8080', DAYCARE_TOKEN: token } = process.env;
const daycare = connect({ url, token });
try {
  const answer = await daycare.agent().ask(process.argv[2] ?? 'Hello!');
  console.log(answer.text);
} finally {
  daycare.close();
}
