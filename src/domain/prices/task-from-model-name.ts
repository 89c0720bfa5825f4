import type { DimensionOn, TokenDimension } from '#money/price.ts'

/** A task of models that perform only this one task. These models have no conversations. */
type ModelTask = 'embeddings' | 'moderations' | 'rerank' | 'images' | 'speech' | 'transcriptions'

interface TaskFamily {
  readonly task: ModelTask
  /** The kinds of tokens that providers bill in addition to text input. */
  readonly tokens: readonly TokenDimension[]
  /**
   * The unit that providers bill for these models instead of tokens, such as images or seconds of audio. Null if
   * providers bill tokens.
   */
  readonly use: DimensionOn<'use'> | null
}

/**
 * Returns the family of a model with a single task. The family is recognized by the model's ID, because most servers
 * have no catalog. Null for a model that has conversations, and for an unknown ID.
 */
export function familyOfModel(model: string): TaskFamily | null {
  return families.find(([models]) => models.test(model))?.[1] ?? null
}

export function taskOfModel(model: string): ModelTask | null {
  return familyOfModel(model)?.task ?? null
}

/**
 * The first pattern that matches the ID applies. A pattern matches IDs that contain the name of the task, or the names
 * of families whose models all perform the task.
 */
const families: readonly (readonly [models: RegExp, family: TaskFamily])[] = [
  // The pattern for rerankers comes before the pattern for embeddings, because rerankers belong to families that
  // contain mostly embedding models. The IDs of rerankers contain `rerank`.
  [/rerank/i, { task: 'rerank', tokens: [], use: null }],
  [/embed|(?:^|\/)(?:bge|e5|gte|voyage)-/i, { task: 'embeddings', tokens: [], use: null }],
  // Google's models for images and for speech are not in the list. Clients call these models in the format of a
  // conversation.
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
