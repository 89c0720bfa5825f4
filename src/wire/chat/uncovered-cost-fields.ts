import { countAt, isNull, refuseForRoute, unboundable, type Fields } from '#wire/wire-request.ts'
import { kindOf, kinds, type Json, type Node } from '#wire/text/json-tape.ts'

/**
 * Rejects fields of compatible servers that make a request cost more than its hold, unless the value is null or false.
 * Unknown fields that are not listed here are forwarded.
 */
export function refuseUncovered(json: Json, name: string, value: Node): void {
  if (!isOff(json, value)) refuseUncoveredName(name)
}

export function refuseUncoveredName(name: string): void {
  const reason = uncovered.get(name)
  if (reason !== undefined) refuseForRoute(name, `${reason}. ${remedies.get(name) ?? 'Omit the field'}`)
}

/** Rejects fields that make an answer longer, unless the request states a maximum, which the hold then covers. */
export function refuseLengthened(
  json: Json,
  { min_tokens: minTokens, ignore_eos: ignoreEos }: Fields<'min_tokens' | 'ignore_eos'>,
  outputTokensMax: number | null,
): void {
  const least = countAt(json, 'min_tokens', minTokens, Number.MAX_SAFE_INTEGER, 0) ?? 0
  if (least > (outputTokensMax ?? 0))
    refuseForRoute(
      'min_tokens',
      'the response would be longer than the hold covers. Also send max_tokens with at least the same value',
    )
  if (ignoreEos >= 0 && !isOff(json, ignoreEos) && outputTokensMax === null)
    refuseForRoute('ignore_eos', 'the field extends the response to its maximum length. Also send max_tokens')
}

function isOff(json: Json, value: Node): boolean {
  return isNull(json, value) || kindOf(json, value) === kinds.false
}

const moreAnswers = 'the provider would write more answers than it returns, which the hold does not cover'
const anotherModel = 'another model would respond, at a price that the hold does not cover'
const anotherHost = 'the field selects a service for the model, at a price that the hold does not cover'
const search = 'the cost of a search by the provider is not known before the request'
const addedInput = 'the input that the field adds is not known before the request'
const checkedByModel = 'another model checks the input, at a price that the hold does not cover'

const uncovered: ReadonlyMap<string, string> = new Map([
  // vLLM, SGLang and other servers read these fields.
  ['best_of', moreAnswers],
  ['use_beam_search', moreAnswers],
  ['beam_width', moreAnswers],
  ['num_beams', moreAnswers],
  // A chat template may repeat the messages, and the fields with `kwargs` may raise the resolution of images.
  ['chat_template', addedInput],
  ['mm_processor_kwargs', addedInput],
  ['media_io_kwargs', addedInput],
  // OpenRouter reads these fields.
  ['models', anotherModel],
  ['route', anotherModel],
  ['preset', anotherModel],
  ['provider', anotherHost],
  // LiteLLM's proxy reads these fields.
  ['fallbacks', anotherModel],
  ['context_window_fallbacks', anotherModel],
  ['extra_body', unboundable],
  // xAI, Alibaba, Groq and Azure read these fields.
  ['search_parameters', search],
  ['enable_search', search],
  ['search_options', search],
  ['search_settings', search],
  ['compound_custom', search],
  ['data_sources', addedInput],
  // Mistral reads this field.
  ['guardrails', checkedByModel],
])

const fallback =
  'Omit the field, and send the name of a router as model. A router falls back to other models at known prices'

/** Alternatives to sending the field, for the error message. Fields that are not listed can only be omitted. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['models', fallback],
  ['route', fallback],
  ['fallbacks', fallback],
  ['context_window_fallbacks', fallback],
  ['preset', 'Omit the field, and send the settings of the preset as fields of the request'],
  ['search_settings', 'Omit the field, and request the name of a model that searches by itself'],
  ['guardrails', 'Omit the field, and check the text with a request to /v1/moderations'],
])
