import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { stringsOf, type JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { conversationOf, type SimulatedRequest } from '#simulator/simulated-request-types.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import { openaiWords } from './fields-of-openai-wires.ts'
import { listOf } from './read-by-schema.ts'

const choicesMax = 128
const count = z.int().min(1).max(choicesMax)
const Tokens = listOf(z.int().min(0), { min: 1 })

const Completions = z.strictObject({
  model: z.string('you must provide a model parameter'),
  prompt: z.union([z.string(), listOf(z.string(), { min: 1 }), Tokens, listOf(Tokens, { min: 1 })]).nullish(),
  suffix: z.string().nullish(),
  max_tokens: z.int().min(0).nullish(),
  n: count.nullish(),
  best_of: count.nullish(),
  echo: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  stop: z
    .preprocess((stop) => (typeof stop === 'string' ? [stop] : stop), listOf(z.string(), { max: 4 }))
    .nullish(),
  seed: z.int().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  // OpenAI has no `top_k`, but compatible servers do.
  top_k: z.number().min(0).nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logprobs: z.int().min(0).max(5).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  user: z.string().nullish(),
})

/** The rejection is OpenAI's. */
export function readCompletions(body: JsonObject): SimulatedRequest | Rejection {
  const parsed = Completions.safeParse(body, { error: () => '', reportInput: true })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    if (issue?.code === 'unrecognized_keys')
      return rejection(`Unrecognized request argument supplied: ${issue.keys.join(', ')}`)
    if (issue === undefined || issue.path[0] === 'prompt')
      return rejection("'$.prompt' is invalid.", 'prompt')
    return openaiWords(issue)
  }
  const {
    best_of: written,
    model,
    n,
    prompt,
    seed,
    stop,
    stream,
    stream_options: options,
    suffix,
  } = parsed.data
  const returned = n ?? 1
  if ((written ?? returned) < returned)
    return rejection("'best_of' must be greater than or equal to 'n'.", 'best_of')
  const prompts = promptsOf(prompt ?? '')
  const texts = [...prompts.map(({ text }) => text), suffix]
  return {
    ...conversationOf([{ userText: prompts[0]?.text ?? '', hasResults: false, input: {} }], {}),
    inputTokens: prompts.reduce((sum, { tokens }) => sum + tokens, countTokens(suffix ?? '')),
    userText: texts.find((text) => text?.includes('[[') === true) ?? texts[0] ?? '',
    model,
    isStream: stream === true,
    isUsageWanted: options?.include_usage === true,
    // Without a maximum in the request, OpenAI writes 16 tokens.
    outputTokensMax: parsed.data.max_tokens ?? 16,
    choices: returned * prompts.length,
    stops: stringsOf(stop),
    seed: seed === null || seed === undefined ? null : String(seed),
    tools: [],
    forcedTool: null,
    mayCallSeveral: false,
    schema: null,
    reasoning: { isOff: true, isShown: false, isSealed: false },
    body,
  }
}

interface Prompt {
  readonly text: string
  readonly tokens: number
}

/** A prompt of token numbers becomes an empty text with this number of tokens. */
function promptsOf(prompt: NonNullable<z.output<typeof Completions>['prompt']>): Prompt[] {
  if (typeof prompt === 'string') return [promptOf(prompt)]
  const tokens = prompt.filter((item) => typeof item === 'number')
  return tokens.length > 0
    ? [{ text: '', tokens: tokens.length }]
    : prompt.map((item) => (typeof item === 'string' ? promptOf(item) : { text: '', tokens: countOf(item) }))
}

function promptOf(text: string): Prompt {
  return { text, tokens: countTokens(text) }
}

function countOf(item: number | readonly number[]): number {
  return typeof item === 'number' ? 1 : item.length
}
