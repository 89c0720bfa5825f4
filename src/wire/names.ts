/** The four wire formats, by the names that configuration, records and errors use. */
export const wireNames = ['chat', 'messages', 'generate', 'responses'] as const
export type WireName = (typeof wireNames)[number]

/** Who speaks chat: OpenAI's own service, or a server that follows it. */
export type OpenaiDialect = 'openai' | 'compatible'
