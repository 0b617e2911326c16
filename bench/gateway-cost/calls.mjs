/** How to call GetUser through a gateway in each protocol, with Node's own clients. */
import { Agent, request } from 'node:http';
import { connect } from 'node:http2';

const path = '/daycare.identity.v1.IdentityService/GetUser';
const userId = 'cln8xk0e40000qzrmn831i7rn1';
const message = Buffer.from([0x0a, userId.length, ...Buffer.from(userId)]);
const framed = Buffer.from([0, 0, 0, 0, message.length, ...message]);
/** A placeholder as long as a real token. */
const authorization = `Bearer ${'x'.repeat(300)}`;
const okTrailer = /grpc-status: ?0/;

export const protocols = {
  grpc: callGrpc,
  'grpc-web': (port, inFlight) =>
    callHttp1(port, inFlight, {
      body: framed,
      headers: { 'content-type': 'application/grpc-web+proto', 'grpc-timeout': '20000m' },
      isAnswer: (body) => okTrailer.test(body),
    }),
  'connect-json': (port, inFlight) =>
    callHttp1(port, inFlight, {
      body: Buffer.from(JSON.stringify({ userId })),
      headers: { 'content-type': 'application/json', 'connect-timeout-ms': '20000' },
      isAnswer: (body) => body.includes(userId),
    }),
  'connect-proto': (port, inFlight) =>
    callHttp1(port, inFlight, {
      body: message,
      headers: { 'content-type': 'application/proto', 'connect-timeout-ms': '20000' },
      isAnswer: (body) => body.includes(userId),
    }),
};

function callGrpc(port) {
  const session = connect(`http://127.0.0.1:${port}`);
  const headers = { 'content-type': 'application/grpc', te: 'trailers', 'grpc-timeout': '20000m' };
  return () =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        authorization,
        ...headers,
      });
      let status;
      stream.on('trailers', (trailers) => (status = trailers['grpc-status']));
      stream.on('error', reject).resume();
      stream.on('close', () =>
        status === '0' ? resolve() : reject(new Error(`the call ended with ${status}`)),
      );
      stream.end(framed);
    });
}

function callHttp1(port, inFlight, { body, headers, isAnswer }) {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const all = { authorization, 'content-length': body.length, ...headers };
  const target = { host: '127.0.0.1', port, path, method: 'POST', agent, headers: all };
  return () =>
    new Promise((resolve, reject) => {
      const sent = request(target, (response) => {
        let text = '';
        response.setEncoding('latin1').on('data', (part) => (text += part));
        response.on('end', () =>
          isAnswer(text) ? resolve() : reject(new Error(`${response.statusCode} ${text}`)),
        );
      });
      sent.on('error', reject).end(body);
    });
}
