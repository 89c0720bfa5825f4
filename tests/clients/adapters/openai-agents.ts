import {
  Agent,
  ModelBehaviorError,
  OpenAIProvider,
  Runner,
  tool,
  user,
  type AgentInputItem,
} from '@openai/agents'
import type { Client, Heard, Order, Place, WireName } from '../client-interface.ts'
import { openaiAt, openaiFailure } from './openai-chat.ts'

export const agentsChat = agentsClient('@openai/agents chat', 'chat', {
  thoughts: 'it shows no thoughts of chat models',
  'call seals': 'chat has no place for them but on the calls of tools, and this client drops it there',
})

export const agentsResponses = agentsClient('@openai/agents responses', 'responses', {
  code: 'it raises at the failed response, which comes before the error that has the code, and names neither',
})

function agentsClient(name: string, wire: WireName, cannot: Client['cannot']): Client {
  return {
    name,
    wire,
    cannot,
    count: null,
    failure: (thrown) =>
      thrown instanceof ModelBehaviorError
        ? { status: 0, text: thrown.message, retryAfter: null }
        : openaiFailure(thrown),
    converse: (at, order) => converse(at, order, wire === 'responses'),
  }
}

async function converse(at: Place, order: Order, useResponses: boolean): Promise<Heard> {
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: openaiAt(at), useResponses }),
    tracingDisabled: true,
  })
  const { schema, tools = [] } = order
  const agent = new Agent({
    name: 'agent',
    model: at.model,
    tools: tools.map(({ description, name, parameters, run }) =>
      tool({
        name,
        description,
        parameters: { ...parameters, properties: { ...parameters.properties } },
        strict: true,
        execute: (args) => run(args),
        // If a tool fails, the test fails, and the model receives no error.
        errorFunction: null,
      }),
    ),
    ...(schema
      ? {
          outputType: {
            type: 'json_schema' as const,
            name: 'answer',
            strict: true,
            schema: { ...schema, properties: { ...schema.properties } },
          },
        }
      : {}),
    modelSettings: {
      store: false,
      ...(order.outputTokensMax === undefined ? {} : { maxTokens: order.outputTokensMax }),
      ...(order.thinks ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
      ...(order.thinks && useResponses ? { providerData: { include: ['reasoning.encrypted_content'] } } : {}),
    },
  })
  let history: AgentInputItem[] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    history.push(index === 0 && order.image !== undefined ? withImage(text, order.image) : user(text))
    // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
    const { finalOutput, history: next } = await ran(runner, agent, history, order.isStream)
    for (const item of next.slice(history.length)) {
      if (item.type === 'reasoning') thoughts += item.content.map((part) => part.text).join('')
    }
    history = next
    texts.push(typeof finalOutput === 'string' ? finalOutput : JSON.stringify(finalOutput))
  }
  return { texts, thoughts }
}

async function ran(
  runner: Runner,
  // oxlint-disable-next-line typescript/no-explicit-any -- its output type depends on the order
  agent: Agent<unknown, any>,
  input: AgentInputItem[],
  isStream: boolean,
): Promise<{ finalOutput?: unknown; history: AgentInputItem[] }> {
  if (!isStream) return runner.run(agent, input)
  const result = await runner.run(agent, input, { stream: true })
  await result.completed
  if (result.error) throw result.error
  return result
}

function withImage(text: string, image: string): AgentInputItem {
  return {
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_image', image: `data:image/png;base64,${image}` },
    ],
  }
}
