/** A task whose models do nothing else, and write no text. */
type ModelTask = 'embeddings' | 'moderations'

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
  ['embeddings', /embed|(?:^|\/)(?:bge|e5|gte|voyage)-/i],
  ['moderations', /(?:^|[-/])moderation(?:-|$)/i],
]
