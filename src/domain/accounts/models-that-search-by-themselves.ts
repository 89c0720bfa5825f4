export interface OwnSearches {
  /**
   * Whether the provider bills at most one search per request. If false, the model decides how often it searches, and
   * no field of a request limits the number.
   */
  readonly isSingle: boolean
  /** The maximum number of tool runs per request that the vendor documents. */
  readonly usesMax: number | null
  /** Whether the price of a search depends on the amount of text that the request asks for. */
  readonly isPricedBySize: boolean
}

/**
 * Aggregators put the vendor's name in front of the ID. Only the part after the last slash is therefore compared
 * (docs/reference/tokens.md "Models that search by themselves").
 */
export function ownSearchesOf(model: string): OwnSearches | null {
  const id = model.toLowerCase()
  const isPricedBySize = perplexity.test(id)
  if (compound.test(id)) return { isSingle: false, usesMax: 10, isPricedBySize }
  if (research.test(id)) return { isSingle: false, usesMax: null, isPricedBySize }
  return single.test(id) ? { isSingle: true, usesMax: null, isPricedBySize } : null
}

/** Matches Groq's larger compound system. */
const compound = /(?:^|\/)compound(?:-beta)?(?:[:@].*)?$/
const perplexity = /(?:^|\/)[\w.-]*sonar/
const research = /(?:^|\/)sonar-deep-research(?:[:@].*)?$/
/**
 * Matches models that make one search: Perplexity's other models, OpenAI's two search families with their dates, Groq's
 * smaller compound system, and OpenRouter's suffix for searching.
 */
const single =
  /(?:^|\/)(?:sonar(?:-[\w.-]+)?|compound(?:-beta)?-mini(?:@[\w.-]+)?|[\w.-]*sonar[\w.-]*-online|gpt-[\w.-]+-search-(?:preview|api)(?:-\d{4}-\d{2}-\d{2})?)(?::[\w-]+)*$|:online(?::[\w-]+)*$/
