/** The four wire formats, by the names that configuration, records and errors use. */
export const wireNames = ['chat', 'messages', 'generate', 'responses'] as const
export type WireName = (typeof wireNames)[number]

/** The server behind a chat account: OpenAI's own service, or a server that follows it. */
export type OpenaiDialect = 'openai' | 'compatible'
