import type { ModelEntry, PriceFile } from './read-and-write-price-file.ts'

/**
 * Vertex AI serves the models of Google and Anthropic. At its global endpoint, these models cost the same as at their
 * vendors (docs/reference/wires.md "Vertex AI"). Regional endpoints are omitted, because they may be more expensive.
 */
export const vertex: PriceFile['providers'][number] = {
  id: 'vertex',
  name: 'Google Vertex AI',
  kind: 'vertex',
  baseUrls: ['https://aiplatform.googleapis.com'],
  pricingUrl: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
}

export function vertexModels(models: readonly ModelEntry[]): ModelEntry[] {
  return models.flatMap((entry) => {
    const model = vertexId(entry)
    if (model === null) return []
    const { dated: _, ...rest } = entry
    return { ...rest, provider: vertex.id, model }
  })
}

/**
 * Null for a model or an alias that Vertex AI does not have, and for embedding models, which have another API at Vertex
 * AI.
 */
function vertexId({ model, provider }: ModelEntry): string | null {
  if (/:|-latest$|-0$/.test(model)) return null
  if (provider === 'google') return /^gemini-\d/.test(model) ? model : null
  // At Vertex AI, the date of a version follows an at sign instead of a hyphen.
  return provider === 'anthropic' ? model.replace(/-(\d{8})$/, '@$1') : null
}
