import { isNull, fault, unboundable, flagAt, countAt, type RequestFault } from '#wire/request.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'

/**
 * Fields of servers that follow this wire by which a call costs what is not held for. They would go through
 * as unknown fields do, so they are refused by name, unless null or false.
 */
export function faultOfUnheld(json: Json, name: string, value: Node): RequestFault | null {
  const reason = unheld.get(name)
  if (reason === undefined || isNull(json, value) || flagAt(json, value) === false) return null
  return fault('unsupported_for_route', name, `${reason}; leave it out`)
}

/**
 * Fields that make an answer go on: up to a maximum that the call states they cost what is held for, and
 * without one nobody has told the provider where to stop.
 */
export function faultOfLengthened(
  json: Json,
  { minTokens, ignoreEos }: { readonly minTokens: Node; readonly ignoreEos: Node },
  outputTokensMax: number | null,
): RequestFault | null {
  const least = countAt(json, minTokens, Number.MAX_SAFE_INTEGER, 0)
  if (least === 'wrong')
    return fault('invalid_request', 'min_tokens', 'The field min_tokens must be a whole number.')
  if (least !== null && least > 0 && least > (outputTokensMax ?? 0))
    return fault(
      'unsupported_for_route',
      'min_tokens',
      'it makes an answer longer than what is held for; send max_tokens of at least as many with it',
    )
  if (flagAt(json, ignoreEos) !== false && outputTokensMax === null)
    return fault(
      'unsupported_for_route',
      'ignore_eos',
      'it makes an answer go on to its maximum; send max_tokens with it',
    )
  return null
}

const moreAnswers = 'the provider writes more answers than it returns, which are not held for'
const anotherModel = 'another model would answer, at a price that is not held for'
const anotherHost = 'it chooses who serves the model, at a price that is not held for'
const search = 'what a search by the provider costs cannot be bounded before the call'
const addedInput = 'what it adds to the input cannot be bounded before the call'

const unheld: ReadonlyMap<string, string> = new Map([
  ['web_search_options', unboundable],
  // vLLM, SGLang and others.
  ['best_of', moreAnswers],
  ['use_beam_search', moreAnswers],
  ['beam_width', moreAnswers],
  ['num_beams', moreAnswers],
  // A template may repeat the messages as often as it likes, and pictures may be looked at more closely.
  ['chat_template', addedInput],
  ['mm_processor_kwargs', addedInput],
  ['media_io_kwargs', addedInput],
  // OpenRouter.
  ['models', anotherModel],
  ['route', anotherModel],
  ['preset', anotherModel],
  ['provider', anotherHost],
  ['plugins', 'what a plugin of the provider costs cannot be bounded before the call'],
  // LiteLLM's proxy.
  ['fallbacks', anotherModel],
  ['context_window_fallbacks', anotherModel],
  ['extra_body', unboundable],
  // xAI, Alibaba, Groq, Azure.
  ['search_parameters', search],
  ['enable_search', search],
  ['search_options', search],
  ['search_settings', search],
  ['compound_custom', search],
  ['data_sources', addedInput],
])
