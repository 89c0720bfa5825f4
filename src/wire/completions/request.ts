import { asksForUsage, withUsageWish } from '#wire/chat/parse-request.ts'
import { refuseLengthened, refuseUncovered } from '#wire/chat/uncovered-cost-fields.ts'
import { InputBound } from '#wire/bound/input-bound.ts'
import type { TaskText } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { aroundEachText, textOfTexts, textsOrTokens } from '#wire/read-texts-or-tokens.ts'
import { placesIn } from '#wire/positions-to-edit.ts'
import {
  choicesLimit,
  countAt,
  detours,
  fieldsIn,
  flagAt,
  isGiven,
  knownFields,
  outputTokensLimit,
  refuse,
  refuseForRoute,
  requestIn,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'

/** Reads a request for text completions (docs/reference/wires.md "Text completions"). */
export function parseCompletions(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known, refuseUncovered)
  const model = modelAt(json, fields.model)
  const isStream = flagAt(json, 'stream', fields.stream)
  const wantsUsage = asksForUsage(json, fields.stream_options)
  const outputTokensMax = countAt(json, 'max_tokens', fields.max_tokens, outputTokensLimit, 0)
  refuseLengthened(json, fields, outputTokensMax)
  if (flagAt(json, 'echo', fields.echo) && isStream)
    refuseForRoute(
      'echo',
      'in a stream, the prompt cannot be distinguished from the answer. Omit stream or echo',
    )
  const { texts, tokens } = promptsAt(json, fields.prompt)
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const input = bound.total(json, { messages: texts, hasTools: false, hasSchema: false })
  const usageWish = isStream && !wantsUsage ? [withUsageWish(json, fields.stream_options)] : []
  return {
    wire: 'completions',
    text: json.text,
    model,
    isStream,
    wantsUsage,
    isJsonArray: false,
    outputTokensMax,
    choices: choicesOf(json, fields, texts),
    serviceTier: null,
    asksForAudio: false,
    asksForImages: false,
    ...svcAt(json, fields.svc),
    ...input,
    ...(tokens !== null &&
      !isGiven(json, fields.suffix) && {
        textTokensMax: tokens + aroundEachText * texts,
        inputEstimate: tokens,
        prose: { tokensMax: 0, text: '' },
      }),
    places: placesIn(json, fields, [fields.max_tokens], 'max_tokens', usageWish),
  }
}

const known = knownFields(
  [
    'model',
    'prompt',
    'suffix',
    'max_tokens',
    'stream',
    'stream_options',
    'n',
    'best_of',
    'echo',
    'svc',
    'min_tokens',
    'ignore_eos',
  ],
  detours,
)

export const settings = nameSet(`
  model max_tokens stream stream_options n best_of echo svc temperature top_p seed stop user logprobs
  logit_bias presence_penalty frequency_penalty
`)

/** If the prompt is absent, the model writes a new text, so no text counts. */
function promptsAt(json: Json, prompt: Node): ReturnType<typeof textsOrTokens> {
  return isGiven(json, prompt) ? textsOrTokens(json, 'prompt', prompt) : { texts: 1, tokens: null }
}

/** For each prompt, the provider writes and bills `best_of` texts, and returns the best `n` of them. */
function choicesOf(
  json: Json,
  fields: { readonly n: Node; readonly best_of: Node },
  prompts: number,
): number {
  const returned = countAt(json, 'n', fields.n, choicesLimit) ?? 1
  const written = countAt(json, 'best_of', fields.best_of, choicesLimit) ?? 1
  const choices = Math.max(returned, written) * prompts
  if (choices <= choicesLimit) return choices
  const reason = `The request asks for ${choices} answers: ${prompts} prompts times n or best_of. Request at most ${choicesLimit}.`
  return refuse('invalid_request', 'prompt', reason)
}

export function textOfCompletions({ prompt, suffix }: JsonObject): TaskText {
  const { moreTokens, text } = textOfTexts(prompt)
  return { text: typeof suffix === 'string' ? `${text}\n${suffix}` : text, moreTokens }
}
