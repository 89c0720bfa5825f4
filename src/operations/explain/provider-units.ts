import { totalInput, type Usage } from '#money/usage.ts'

/**
 * Returns a request's units as its provider's wire counts them, to compare with the provider's own log. The provider's
 * own usage object is not stored, because it may contain any text.
 */
export function providerUnits(usage: Usage, wire: string | null): Readonly<Record<string, number>> | null {
  const input = totalInput(usage)
  switch (wire) {
    case 'chat':
      return {
        prompt_tokens: input,
        'prompt_tokens_details.cached_tokens': usage.cacheRead,
        'prompt_tokens_details.audio_tokens': usage.audioInput,
        completion_tokens: usage.output,
        'completion_tokens_details.reasoning_tokens': usage.reasoning,
        'completion_tokens_details.audio_tokens': usage.audioOutput,
      }
    case 'responses':
      return {
        input_tokens: input,
        'input_tokens_details.cached_tokens': usage.cacheRead,
        output_tokens: usage.output,
        'output_tokens_details.reasoning_tokens': usage.reasoning,
      }
    case 'messages':
      return {
        input_tokens: usage.input,
        cache_read_input_tokens: usage.cacheRead,
        'cache_creation.ephemeral_5m_input_tokens': usage.cacheWrite,
        'cache_creation.ephemeral_1h_input_tokens': usage.cacheWriteLong,
        output_tokens: usage.output,
      }
    case 'generate':
      return {
        promptTokenCount: input,
        cachedContentTokenCount: usage.cacheRead,
        candidatesTokenCount: usage.output - usage.reasoning,
        thoughtsTokenCount: usage.reasoning,
      }
    default:
      return null
  }
}
