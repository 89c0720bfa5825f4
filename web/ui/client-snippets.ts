/**
 * Code that calls a gateway with an official client and a key. The console and the portal show
 * it after a key is created.
 */
import { clientsFor } from '#sdk/clients.ts'

export const snippetClients = ['OpenAI', 'Anthropic', 'Gemini', 'Claude Code', '.env'] as const

export interface ClientSnippet {
  readonly client: (typeof snippetClients)[number]
  /** Language of the text, by its editor name. */
  readonly language: 'typescript' | 'shell' | 'dotenv'
  readonly text: string
}

/**
 * @param gateway address of the application's gateway: `localGateway` if there is one, else `gateway`
 * @param key the secret, or a placeholder if it is no longer known
 * @param model a name that the key can use; names may contain any characters
 */
export function clientSnippets({
  gateway,
  key,
  model,
}: {
  readonly gateway: string
  readonly key: string
  readonly model: string
}): readonly ClientSnippet[] {
  const { anthropic, genai, openai } = clientsFor(gateway, key)
  return [
    {
      client: 'OpenAI',
      language: 'typescript',
      text: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${literal(openai.baseURL)},
  apiKey: ${literal(openai.apiKey)},
})
const answer = await client.chat.completions.create({
  model: ${literal(model)},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)
`,
    },
    {
      client: 'Anthropic',
      language: 'typescript',
      text: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${literal(anthropic.baseURL)},
  apiKey: ${literal(anthropic.apiKey)},
})
const answer = await client.messages.create({
  model: ${literal(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.content)
`,
    },
    {
      client: 'Gemini',
      language: 'typescript',
      text: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: ${literal(genai.apiKey)},
  httpOptions: { baseUrl: ${literal(genai.httpOptions.baseUrl)} },
})
const answer = await client.models.generateContent({
  model: ${literal(model)},
  contents: 'Hello',
})
console.log(answer.text)
`,
    },
    {
      client: 'Claude Code',
      language: 'shell',
      text: `export ANTHROPIC_BASE_URL=${word(anthropic.baseURL)}
export ANTHROPIC_API_KEY=${word(anthropic.apiKey)}
claude --model ${word(model)}
`,
    },
    { client: '.env', language: 'dotenv', text: keyFile({ gateway, key }) },
  ]
}

/** The lines that official clients and agents read from their environment. */
export function keyFile({ gateway, key }: { readonly gateway: string; readonly key: string }): string {
  const { anthropic, genai, openai } = clientsFor(gateway, key)
  return `OPENAI_BASE_URL=${openai.baseURL}
OPENAI_API_KEY=${openai.apiKey}
ANTHROPIC_BASE_URL=${anthropic.baseURL}
ANTHROPIC_API_KEY=${anthropic.apiKey}
GOOGLE_GEMINI_BASE_URL=${genai.httpOptions.baseUrl}
GEMINI_API_KEY=${genai.apiKey}
`
}

function literal(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}'`
}

/** Quotes a shell word only if necessary. */
function word(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
