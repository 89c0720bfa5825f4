/**
 * Wire formats of conversations. The gateway converts each of them to every other. Configuration, records and errors
 * use these names.
 */
export const wireNames = ['chat', 'messages', 'generate', 'responses', 'converse', 'cohere'] as const
export type WireName = (typeof wireNames)[number]

/** Formats of requests that are not conversations. Each format has one path. */
const taskNames = [
  'embeddings',
  'embed_content',
  'batch_embed_contents',
  'invoke_embeddings',
  'cohere_embed',
  'moderations',
  'completions',
  'rerank',
  'images',
  'image_edits',
  'speech',
  'transcriptions',
  'translations',
  'compact',
] as const
export type TaskName = (typeof taskNames)[number]

export type FormatName = WireName | TaskName

const tasks: ReadonlySet<string> = new Set(taskNames)

export function isTask(name: FormatName): name is TaskName {
  return tasks.has(name)
}

const streamedTasks = ['completions', 'speech', 'transcriptions'] as const
export type StreamedTask = (typeof streamedTasks)[number]

export function isStreamedTask(name: FormatName): name is StreamedTask {
  return streamedTasks.some((task) => task === name)
}

/** Requests of all other formats are JSON. */
export function isForm(name: FormatName): boolean {
  return name === 'image_edits' || name === 'transcriptions' || name === 'translations'
}

/**
 * Use this function only for a request that is known to be a conversation.
 * @throws Error for a request of a task, such as embeddings
 */
export function wireOf(name: FormatName): WireName {
  if (isTask(name)) throw new Error(`${name} is a task, and only wires are converted, counted and listed`)
  return name
}

/** The value of `object` in chunks of the two formats whose chunks may have no choice. */
export const chunkTypes = { chat: 'chat.completion.chunk', completions: 'text_completion' } as const

/**
 * Servers of chat accounts. Mistral and Groq reject fields that other compatible servers accept (docs/reference/wires.md
 * "Mistral", "Groq").
 */
export type OpenaiDialect = 'openai' | 'compatible' | 'mistral' | 'groq'

/** Whether the server rejects every request that has the field `reasoning_content`. */
export function rejectsThoughts(dialect: OpenaiDialect): boolean {
  return dialect === 'mistral' || dialect === 'groq'
}
