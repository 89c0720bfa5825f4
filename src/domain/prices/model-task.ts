/** A task, such as embeddings, of models that perform only this task and write no text. */
type ModelTask = 'embeddings' | 'moderations' | 'rerank' | 'images'

/**
 * Returns the only task that a model performs. Most servers have no catalog, so the model's ID decides. Null for models
 * of conversations, and for unknown IDs.
 * @param model the provider's model ID
 */
export function taskOfModel(model: string): ModelTask | null {
  return families.find(([, models]) => models.test(model))?.[0] ?? null
}

/** Matches the name of the task in the ID, or the name of a model family that performs only this task. */
const families: readonly (readonly [task: ModelTask, models: RegExp])[] = [
  // Rerank models have the task in their ID, even if their family also has models for embeddings.
  ['rerank', /rerank/i],
  ['embeddings', /embed|(?:^|\/)(?:bge|e5|gte|voyage)-/i],
  // Google's image models also hold conversations, so they are not listed.
  [
    'images',
    /(?:^|[-/])(?:dall-?e|gpt-image|chatgpt-image|flux|stable-diffusion|sdxl)(?:[-./]|$)|^grok-.*image/i,
  ],
  ['moderations', /(?:^|[-/])moderation(?:-|$)/i],
]

/**
 * Whether an image model is billed by tokens, as OpenAI's image models since GPT Image. All other image models are
 * billed by image.
 */
export function billsImageTokens(model: string): boolean {
  return /gpt-image/i.test(model)
}
