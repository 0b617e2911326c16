"""Asks your agent something and prints the answer. Needs python3-grpcio and python3-protobuf, but no generated code.

Usage: DAYCARE_URL=http://127.0.0.1:8080 DAYCARE_TOKEN=... python3 quickstart.py "What can you do?"
"""

import os
import sys
import urllib.request
import uuid

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

url = os.environ.get("DAYCARE_URL", "http://127.0.0.1:8080")
metadata = [("authorization", f"Bearer {os.environ['DAYCARE_TOKEN']}")]
runtime = "daycare.agent_runtime.v1.AgentRuntimeService"


def load_messages():
    """Reads the descriptors that the gateway serves; returns a function that finds a message class by its full name."""
    with urllib.request.urlopen(f"{url}/descriptors.binpb") as response:
        files = descriptor_pb2.FileDescriptorSet.FromString(response.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return lambda name: factory.GetPrototype(pool.FindMessageTypeByName(name))


message = load_messages()
channel = grpc.insecure_channel(url.removeprefix("http://"))


def rpc(connect, name):
    """Returns a function that makes this call, given the request."""
    return connect(
        f"/{runtime}/{name}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=message(f"daycare.agent_runtime.v1.{name}Response").FromString,
    )


def ask(text):
    request = message("daycare.agent_runtime.v1.PostMessageRequest")(
        # A repeated call with the same id has no further effect.
        request_id=str(uuid.uuid4()),
        connector="python",
        channel_id="me",
        connector_user_id="me",
        text=text,
    )
    posted = rpc(channel.unary_unary, "PostMessage")(request, metadata=metadata, timeout=30)
    watch = message("daycare.agent_runtime.v1.WatchAgentRequest")(
        agent_id=posted.agent_id, after_sequence=posted.after_sequence
    )
    for event in rpc(channel.unary_stream, "WatchAgent")(watch, metadata=metadata, timeout=120):
        answer = event.record.assistant_message
        if event.record.WhichOneof("record") == "assistant_message" and not answer.tool_calls:
            return answer.text


print(ask(sys.argv[1] if len(sys.argv) > 1 else "Hello!"))
