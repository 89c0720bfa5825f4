/** The searches that a model makes by itself, for a request without any tool. */
export interface OwnSearches {
  /**
   * Whether a request has at most one billed search. Otherwise the model decides how often it searches, and no field of
   * a request limits it.
   */
  readonly isSingle: boolean
  /** The most tools that a request runs, as its vendor documents. Null if the vendor states no number. */
  readonly usesMax: number | null
}

/**
 * Returns how a model searches the web by itself. Null for all other models. Aggregators put the vendor's name in front
 * of the ID, so the whole last part is compared (docs/reference/tokens.md "Models that search by themselves").
 * @param model the provider's model ID
 */
export function ownSearchesOf(model: string): OwnSearches | null {
  const id = model.toLowerCase()
  if (compound.test(id)) return { isSingle: false, usesMax: 10 }
  if (research.test(id)) return { isSingle: false, usesMax: null }
  return single.test(id) ? { isSingle: true, usesMax: null } : null
}

/** Groq's larger system. */
const compound = /(?:^|\/)compound(?:-beta)?(?:[:@].*)?$/
/** Perplexity's research. */
const research = /(?:^|\/)sonar-deep-research(?:[:@].*)?$/
/** Perplexity, OpenAI's two families with their dates, Groq's smaller system, and the suffix of OpenRouter. */
const single =
  /(?:^|\/)(?:sonar(?:-[\w.-]+)?|compound(?:-beta)?-mini(?:@[\w.-]+)?|[\w.-]*sonar[\w.-]*-online|gpt-[\w.-]+-search-(?:preview|api)(?:-\d{4}-\d{2}-\d{2})?)(?::[\w-]+)*$|:online(?::[\w-]+)*$/
