/** The four wire formats, by the names that configuration, records and errors use. */
export const wireNames = ['chat', 'messages', 'generate', 'responses'] as const
export type WireName = (typeof wireNames)[number]

/** The server of a chat account: OpenAI's own service, or a compatible server. */
export type OpenaiDialect = 'openai' | 'compatible'
