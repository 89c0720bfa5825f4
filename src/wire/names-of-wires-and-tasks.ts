/**
 * The six wire formats of conversations with a model. Configuration, records and errors use these names. The gateway
 * converts each wire format to every other wire format.
 */
export const wireNames = ['chat', 'messages', 'generate', 'responses', 'converse', 'cohere'] as const
export type WireName = (typeof wireNames)[number]

/**
 * Formats of requests that are not conversations. Each of these formats has one path. Among these formats, only
 * `completions`, `speech` and `transcriptions` can stream.
 */
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

/** Every format of a request: a wire or a task. */
export type FormatName = WireName | TaskName

const tasks: ReadonlySet<string> = new Set(taskNames)

export function isTask(name: FormatName): name is TaskName {
  return tasks.has(name)
}

/** The tasks whose responses can stream. */
const streamedTasks = ['completions', 'speech', 'transcriptions'] as const
export type StreamedTask = (typeof streamedTasks)[number]

export function isStreamedTask(name: FormatName): name is StreamedTask {
  return streamedTasks.some((task) => task === name)
}

/** Whether requests of the format are forms. Requests of all other formats are JSON. */
export function isForm(name: FormatName): boolean {
  return name === 'image_edits' || name === 'transcriptions' || name === 'translations'
}

/**
 * Returns the wire of a request that is known to be a conversation.
 * @throws Error for a request of a task, such as embeddings
 */
export function wireOf(name: FormatName): WireName {
  if (isTask(name)) throw new Error(`${name} is a task, and only wires are converted, counted and listed`)
  return name
}

/** The value of `object` in each chunk of a stream, for the two formats whose chunks may have no choice. */
export const chunkTypes = { chat: 'chat.completion.chunk', completions: 'text_completion' } as const

/**
 * The server of a chat account: OpenAI's models at OpenAI or Azure, a compatible server, or Mistral, which rejects
 * fields that other compatible servers accept (docs/reference/wires.md "Mistral").
 */
export type OpenaiDialect = 'openai' | 'compatible' | 'mistral'
