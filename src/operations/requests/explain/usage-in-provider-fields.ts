import type { UsageWire } from '#money/price-dimensions.ts'
import { totalInput, type Usage } from '#money/usage-counts.ts'
import { countsByPath, usageFieldsByWire } from '#money/usage-fields-by-wire.ts'

/**
 * Returns the token counts as the provider reported them, for comparison with the provider's own log. The provider's
 * usage object is not stored, because it may contain any text. Null if the wire is unknown.
 */
export function providerUnits(usage: Usage, wire: string | null): Readonly<Record<string, number>> | null {
  if (wire === null) return null
  // A server for reranking reports only one of these two counts.
  if (wire === 'rerank')
    return { total_tokens: totalInput(usage), 'meta.billed_units.search_units': usage.searchUnits }
  if (wire === 'images' || wire === 'image_edits')
    return {
      input_tokens: totalInput(usage),
      'input_tokens_details.image_tokens': usage.imageInput,
      output_tokens: usage.output,
    }
  if (wire === 'speech') return { input_tokens: usage.input, output_tokens: usage.output }
  // A server reports either tokens or seconds.
  if (wire === 'transcriptions' || wire === 'translations')
    return {
      input_tokens: totalInput(usage),
      'input_token_details.audio_tokens': usage.audioInput,
      output_tokens: usage.output,
      seconds: usage.audioSeconds,
    }
  if (wire === 'cohere_embed')
    return {
      'meta.billed_units.input_tokens': usage.input,
      'meta.billed_units.image_tokens': usage.imageInput,
    }
  const input = inputOnly[wire]
  if (input !== undefined) return { [input]: totalInput(usage) }
  // Text completions report usage in the same fields as chat completions.
  const counted = wire === 'completions' ? 'chat' : wire
  return isUsageWire(counted) ? countsByPath(usage, counted) : null
}

/** These formats have no output and report only one count. */
const inputOnly: Readonly<Record<string, string>> = {
  embeddings: 'prompt_tokens',
  moderations: 'prompt_tokens',
  embed_content: 'promptTokenCount',
  batch_embed_contents: 'promptTokenCount',
  // A header, because only some of these models report the count in the body.
  invoke_embeddings: 'x-amzn-bedrock-input-token-count',
}

function isUsageWire(wire: string): wire is UsageWire {
  return Object.hasOwn(usageFieldsByWire, wire)
}
