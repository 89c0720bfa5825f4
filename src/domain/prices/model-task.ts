import type { DimensionOn, TokenDimension } from '#money/price.ts'

/** A task whose models perform only this task, and no conversations. */
type ModelTask = 'embeddings' | 'moderations' | 'rerank' | 'images' | 'speech' | 'transcriptions'

/** The task of a family of models, and the units that they bill in addition to text input. */
interface TaskFamily {
  readonly task: ModelTask
  /** The tokens that these models bill. */
  readonly tokens: readonly TokenDimension[]
  /** The uses that these models bill in place of tokens. Null if these models bill tokens. */
  readonly use: DimensionOn<'use'> | null
}

/**
 * Returns the family of a model with a single task, by its ID, because most servers have no catalog. Null for a model
 * of conversations, and for an unknown ID.
 * @param model the provider's model ID
 */
export function familyOfModel(model: string): TaskFamily | null {
  return families.find(([models]) => models.test(model))?.[1] ?? null
}

/** Returns the only task of a model, like `familyOfModel`. */
export function taskOfModel(model: string): ModelTask | null {
  return familyOfModel(model)?.task ?? null
}

/**
 * The first matching pattern is used. A pattern matches the name of the task itself, or families that have only models
 * of the task.
 */
const families: readonly (readonly [models: RegExp, family: TaskFamily])[] = [
  // Rerankers of these families, which contain mostly embedding models, have the task in their name.
  [/rerank/i, { task: 'rerank', tokens: [], use: null }],
  [/embed|(?:^|\/)(?:bge|e5|gte|voyage)-/i, { task: 'embeddings', tokens: [], use: null }],
  // Google's models of images and of speech are models of conversations.
  [/gpt-image/i, { task: 'images', tokens: ['imageInput', 'imageOutput'], use: null }],
  [
    /(?:^|[-/])(?:dall-?e|flux|stable-diffusion|sdxl)(?:[-./]|$)|^grok-.*image/i,
    { task: 'images', tokens: [], use: 'image' },
  ],
  [/gpt-.*-tts/i, { task: 'speech', tokens: ['audioOutput'], use: null }],
  [
    /^(?!.*gemini).*(?:^|[-/])tts(?:-|$)|(?:^|[-/])(?:kokoro|orpheus)(?:-|$)/i,
    { task: 'speech', tokens: [], use: 'character' },
  ],
  [/gpt-.*-transcribe/i, { task: 'transcriptions', tokens: ['audioInput', 'output'], use: null }],
  [/whisper|transcribe/i, { task: 'transcriptions', tokens: [], use: 'audioSecond' }],
  [/(?:^|[-/])moderation(?:-|$)/i, { task: 'moderations', tokens: [], use: null }],
]
