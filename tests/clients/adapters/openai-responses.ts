import type OpenAI from 'openai'
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
} from 'openai/resources/responses/responses'
import { roundsMax, toolNamed, type Client, type Heard, type Order, type Place } from '../client-interface.ts'
import { openaiAt, openaiFailure } from './openai-chat.ts'

type Respond = (
  openai: OpenAI,
  params: ResponseCreateParamsNonStreaming,
  isStream: boolean,
) => Promise<Response>

/** The last event of a stream contains the final state of the response. */
export const openaiResponses: Client = responsesClient(
  'openai responses',
  async (openai, params, isStream) => {
    if (!isStream) return openai.responses.create(params)
    let last: Response | null = null
    for await (const event of await openai.responses.create({ ...params, stream: true })) {
      if (event.type === 'response.completed') last = event.response
    }
    if (!last) throw new Error('the stream ended without a completed response')
    return last
  },
)

export const openaiResponsesHelper: Client = responsesClient('openai responses helper', (openai, params) =>
  openai.responses.stream({ ...params, stream: true }).finalResponse(),
)

function responsesClient(name: string, respond: Respond): Client {
  return {
    name,
    wire: 'responses',
    cannot: {},
    async count(at, text) {
      const counted = await openaiAt(at).responses.inputTokens.count({ model: at.model, input: text })
      return counted.input_tokens
    },
    failure: openaiFailure,
    converse: (at, order) => converse(at, order, respond),
  }
}

async function converse(at: Place, order: Order, respond: Respond): Promise<Heard> {
  const openai = openaiAt(at)
  const { schema, tools } = order
  const params = {
    model: at.model,
    store: false,
    ...(tools
      ? {
          tools: tools.map(({ description, name, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            parameters: { ...parameters },
            strict: true,
          })),
        }
      : {}),
    ...(schema
      ? {
          text: {
            format: { type: 'json_schema' as const, name: 'answer', schema: { ...schema }, strict: true },
          },
        }
      : {}),
    ...(order.thinks
      ? {
          reasoning: { effort: 'low' as const, summary: 'auto' as const },
          include: ['reasoning.encrypted_content' as const],
        }
      : {}),
    ...(order.outputTokensMax === undefined ? {} : { max_output_tokens: order.outputTokensMax }),
  }
  const input: ResponseInput = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    input.push({ role: 'user', content: index === 0 ? contentOf(text, order.image) : text })
    for (let round = 0; round < roundsMax; round++) {
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      const response = await respond(openai, { ...params, input }, order.isStream)
      if (response.status !== 'completed') throw new Error(`the response is ${response.status}`)
      input.push(...response.output.filter(isInput))
      const calls = []
      for (const item of response.output) {
        if (item.type === 'reasoning') thoughts += item.summary.map(({ text: summary }) => summary).join('')
        if (item.type === 'function_call') calls.push(item)
      }
      if (calls.length === 0) {
        texts.push(response.output_text ?? textOf(response))
        break
      }
      for (const call of calls) {
        const output = toolNamed(tools, call.name).run(JSON.parse(call.arguments))
        input.push({ type: 'function_call_output', call_id: call.call_id, output })
      }
    }
  }
  return { texts, thoughts }
}

type InputItem = ResponseInput[number]

/** The client's types of output and input differ only in fields that the output items do not have. */
function isInput(item: Response['output'][number]): item is Response['output'][number] & InputItem {
  return item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call'
}

/** The client sets `output_text` only in non-streaming responses. */
function textOf({ output }: Response): string {
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')
}

function contentOf(text: string, image: string | undefined) {
  if (image === undefined) return text
  return [
    { type: 'input_text' as const, text },
    { type: 'input_image' as const, image_url: `data:image/png;base64,${image}`, detail: 'auto' as const },
  ]
}
