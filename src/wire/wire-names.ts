/** The four wire formats, by the names that configuration, records and errors use. */
export const wireNames = ['chat', 'messages', 'generate', 'responses'] as const
export type WireName = (typeof wireNames)[number]

/**
 * The server of a chat account: OpenAI's models at OpenAI or Azure, a compatible server, or Mistral, which rejects
 * fields that other compatible servers accept (docs/reference/wires.md "Mistral").
 */
export type OpenaiDialect = 'openai' | 'compatible' | 'mistral'
