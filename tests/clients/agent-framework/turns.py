"""Calls a gateway with Microsoft's Agent Framework, and prints the responses as one line of JSON.

`python turns.py <base url> <key> <model> <settings> <text>...`: the settings are the `default_options` of the agent, in
JSON. Each text is one turn of two conversations: the first is non-streaming, and the second is streamed.
"""

import asyncio
import json
import sys
from typing import Annotated, Any

from agent_framework.exceptions import ChatClientException
from agent_framework.openai import OpenAIChatClient

base_url, key, model, settings, *texts = sys.argv[1:]
ran: list[str] = []


def get_weather(location: Annotated[str, "The name of the place."]) -> str:
    """Get the weather for a given location."""
    ran.append(location)
    return "Sunny."


async def main() -> None:
    client = OpenAIChatClient(model=model, api_key=key, base_url=base_url)
    agent: Any = client.as_agent(
        name="weather", instructions="Be short.", tools=[get_weather], default_options=json.loads(settings)
    )
    session = agent.create_session()
    turns = []
    try:
        for is_stream in (False, True):
            for text in texts:
                if is_stream:
                    response = await agent.run(text, session=session, stream=True).get_final_response()
                else:
                    response = await agent.run(text, session=session)
                turns.append({"text": response.text, "tokens": response.usage_details["total_token_count"]})
    except ChatClientException as error:
        turns.append({"error": str(error)})
    print(json.dumps({"turns": turns, "ran": ran}))


asyncio.run(main())
