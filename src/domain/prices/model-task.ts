/** A task whose models do nothing else, and write no text. */
type ModelTask = 'embeddings' | 'moderations' | 'rerank' | 'images'

/**
 * Returns the only task of a model, by its ID, because most servers have no catalog. Null for a model of conversations,
 * and for an unknown ID.
 * @param model the provider's model ID
 */
export function taskOfModel(model: string): ModelTask | null {
  return families.find(([, models]) => models.test(model))?.[0] ?? null
}

/** The name of the task itself, or families that have only such models. */
const families: readonly (readonly [task: ModelTask, models: RegExp])[] = [
  // Rerankers of the families of embeddings have the task in their name.
  ['rerank', /rerank/i],
  ['embeddings', /embed|(?:^|\/)(?:bge|e5|gte|voyage)-/i],
  // Google's models of images are models of conversations.
  [
    'images',
    /(?:^|[-/])(?:dall-?e|gpt-image|chatgpt-image|flux|stable-diffusion|sdxl)(?:[-./]|$)|^grok-.*image/i,
  ],
  ['moderations', /(?:^|[-/])moderation(?:-|$)/i],
]

/** Whether a model of images is billed by tokens, like OpenAI's since GPT Image. The others are billed by image. */
export function billsImageTokens(model: string): boolean {
  return /gpt-image/i.test(model)
}
